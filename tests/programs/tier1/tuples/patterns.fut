-- Nested tuple patterns, wildcards and typed patterns in parameters, lambdas and let.
-- ==
-- entry: rotate3
-- input { 1 2f32 true } output { true 1 2f32 }

-- ==
-- entry: nested
-- input { 1 2 3 4 } output { 10 1 4 }
-- input { 0 0 0 -1 } output { -1 0 -1 }

-- ==
-- entry: lambdas
-- input { [1, 2] [3, 4] } output { [4, 6] [1, 2] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) empty([0]i32) }

entry rotate3 (a: i32) (b: f32) (c: bool) = let (x, y, z) = (a, b, c) in (z, x, y)

def combine ((a, b): (i32, i32), (c, d): (i32, i32)) : (i32, i32, i32) =
  let sum = a + b + c + d
  let (first, _) = (a, b)
  let (_, last : i32) = (c, d)
  in (sum, first, last)

entry nested (a: i32) (b: i32) (c: i32) (d: i32) = combine ((a, b), (c, d))

entry lambdas [n] (xs: [n]i32) (ys: [n]i32) =
  let pairs = zip xs ys
  in (map (\(x, y) -> x + y) pairs, map (\(x, _) -> x) pairs)
