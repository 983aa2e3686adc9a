-- Sum types need no name: inferred from ascriptions on values, parameters and results.
-- ==
-- input { 5 } output { 5 }
-- input { -5 } output { 0 }

def clip (x: i32) : #inside i32 | #outside = if x >= 0 then #inside x else #outside

def main (x: i32) : i32 =
  match clip x
  case #inside y -> y
  case #outside -> 0

-- ==
-- entry: parameter
-- input { 3 } output { 9 6 }

def apply (how: #square | #double) (x: i32) : i32 =
  match how
  case #square -> x * x
  case #double -> x + x

entry parameter (x: i32) : (i32, i32) = (apply #square x, apply #double x)

-- ==
-- entry: single_constructor
-- input { 3 4 } output { 7 }

type wrapped = #wrap i32 i32

entry single_constructor (a: i32) (b: i32) : i32 =
  let w: wrapped = #wrap a b
  in match w case #wrap x y -> x + y
