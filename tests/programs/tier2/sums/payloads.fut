-- Constructors carry scalars, several values, tuples, records, or nothing.
-- ==
-- input { 2.0 3.0 } output { 12.56637061 6.0 0.0 }
-- input { 0.0 1.0 } output { 0.0 0.0 0.0 }

type shape = #circle f64 | #rectangle f64 f64 | #empty

def area (s: shape) : f64 =
  match s
  case #circle r -> f64.pi * r * r
  case #rectangle w h -> w * h
  case #empty -> 0

def main (a: f64) (b: f64) : (f64, f64, f64) =
  (area (#circle a), area (#rectangle a b), area #empty)

-- ==
-- entry: mixed_types
-- input { 0 } output { 7i64 }
-- input { 1 } output { 2i64 }
-- input { 2 } output { 1i64 }
-- input { 3 } output { -1i64 }

type mixed = #wide i64 | #real f32 | #flag bool | #nothing

def as_i64 (m: mixed) : i64 =
  match m
  case #wide x -> x
  case #real x -> i64.f32 x
  case #flag b -> i64.bool b
  case #nothing -> -1

entry mixed_types (k: i32) : i64 =
  as_i64 (if k == 0 then #wide 7 else if k == 1 then #real 2.9
          else if k == 2 then #flag true else #nothing)

-- ==
-- entry: compound
-- input { 3 4 } output { 7 12 25 }

type compound = #pair (i32, i32) | #record {x: i32, y: i32}

def combine (c: compound) (f: i32 -> i32 -> i32) : i32 =
  match c
  case #pair (a, b) -> f a b
  case #record {x, y} -> f x y

entry compound (a: i32) (b: i32) : (i32, i32, i32) =
  (combine (#pair (a, b)) (+), combine (#record {y = b, x = a}) (*),
   combine (#pair (a, b)) (\x y -> x * x + y * y))
