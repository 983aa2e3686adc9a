-- A function between backticks is a left-associative infix operator, qualified names included.
-- ==
-- entry: infix
-- input { 10 3 } output { 7 3 30 }
-- input { -10 3 } output { 13 -10 -30 }

-- ==
-- entry: chained
-- input { 10 3 2 } output { 5 49 true 10 }

-- ==
-- entry: library
-- input { [1, 2, 3] } output { [2, 4, 6] 6 [3i64, 1i64, 2i64] }
-- input { empty([0]i32) } output { empty([0]i32) 0 [0i64] }

def distance (a: i32) (b: i32) = i32.abs (a - b)
def times (a: i32) b = a * b
def same (p: bool) (q: bool) = p == q
entry infix (a: i32) (b: i32) = (a `distance` b, a `i32.min` b, a `times` b)
-- Backticks bind looser than every operator, the pipes included: the last is max a (b |> (* c)).
entry chained (a: i32) (b: i32) (c: i32) =
  ( a `distance` b `distance` c, a - b `times` c + 1 + 4
  , a > 20 || b > 2 `same` c < 0 || a == 10, a `i32.max` b |> (* c) )
entry library [n] (xs: [n]i32) =
  ( (* 2) `map` xs, ((i32.+) `reduce` 0) xs
  , (n `replicate` 1i64) |> reduce (+) 0 |> \k -> if k == 0 then [0] else [k, 1, 2] )
