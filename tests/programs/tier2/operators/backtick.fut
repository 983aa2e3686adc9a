-- A function between backticks is an infix operator that binds to the left, and looser than all others.
-- ==
-- input { 3 4 } output { 4 3 12 }

def main (a: i32) (b: i32) : (i32, i32, i32) =
  let weighted (x: i32) (y: i32) = 2 * x + y - 1
  in (a `i32.max` b, a `i32.min` b, 1 + a `weighted` b + 1)

-- ==
-- entry: looser_than_all
-- input { 10 } output { 39 false false }

def but_not (a: bool) (b: bool) : bool = a && !b

entry looser_than_all (x: i32) : (i32, bool, bool) =
  let weighted (x: i32) (y: i32) = 2 * x + y - 1
  in ( x `weighted` 2 |> (* 10)         -- x `weighted` (2 |> (* 10))
     , true || true `but_not` true      -- (true || true) `but_not` true
     , true `but_not` true || true)     -- true `but_not` (true || true)

-- ==
-- entry: chained
-- input { 2 3 4 } output { -5 }

def minus (x: i32) (y: i32) : i32 = x - y

entry chained (a: i32) (b: i32) (c: i32) : i32 = a `minus` b `minus` c

-- ==
-- entry: sections
-- input { [5, 1] } output { [4, 0] [-4, 0] }

entry sections [n] (xs: [n]i32) : ([n]i32, [n]i32) = (map (`minus` 1) xs, map (1 `minus`) xs)

-- ==
-- entry: polymorphic
-- input { [1, 2] [true, false] } output { [true, false] }

def second 'a 'b (_: a) (y: b) : b = y

entry polymorphic [n] (xs: [n]i32) (ys: [n]bool) : [n]bool = xs `second` ys

-- ==
-- entry: of_parameter
-- input { 7 2 } output { 5 3 }

entry of_parameter (a: i32) (b: i32) : (i32, i32) =
  let using (f: i32 -> i32 -> i32) = a `f` b
  in (using minus, using (/))
