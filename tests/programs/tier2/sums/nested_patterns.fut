-- Patterns nest: constructors in constructors, tuples, records and wildcards, tried from top to bottom.
-- ==
-- input { 0 5 } output { 5 }
-- input { 1 5 } output { -5 }
-- input { 2 5 } output { 25 }
-- input { 3 5 } output { 0 }

type inner = #plain i32 | #negated i32
type outer = #direct inner | #squared inner | #none

def eval (o: outer) : i32 =
  match o
  case #direct (#plain x) -> x
  case #direct (#negated x) -> -x
  case #squared (#plain x) -> x * x
  case #squared (#negated x) -> x * x
  case #none -> 0

def main (k: i32) (x: i32) : i32 =
  eval (if k == 0 then #direct (#plain x)
        else if k == 1 then #direct (#negated x)
        else if k == 2 then #squared (#negated x)
        else #none)

-- ==
-- entry: pairs
-- input { 1 2 } output { 3 }
-- input { -1 2 } output { 2 }
-- input { 1 -2 } output { 1 }
-- input { -1 -2 } output { 0 }

type maybe = #some i32 | #none

def positive (x: i32) : maybe = if x > 0 then #some x else #none

entry pairs (a: i32) (b: i32) : i32 =
  match (positive a, positive b)
  case (#some x, #some y) -> x + y
  case (#some x, #none) -> x
  case (#none, #some y) -> y
  case (#none, #none) -> 0

-- ==
-- entry: first_match_wins
-- input { 1 1 } output { 1 }
-- input { 1 2 } output { 2 }
-- input { 0 2 } output { 3 }
-- input { 0 0 } output { 4 }

entry first_match_wins (a: i32) (b: i32) : i32 =
  match {l = positive a, r = b}
  case {l = #some _, r = 1} -> 1
  case {l = #some _, r = _} -> 2
  case {l = _, r = 2} -> 3
  case _ -> 4

-- ==
-- entry: nested_match
-- input { 5 } output { 10 }
-- input { -5 } output { 1 }
-- input { 0 } output { 0 }

entry nested_match (x: i32) : i32 =
  match positive x
  case #some y -> (match y case 1 -> 100 case z -> 2 * z)
  case #none ->
    match positive (-x)
    case #some _ -> 1
    case #none -> 0
