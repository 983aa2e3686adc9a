-- map over numbers, tuples and rows, with results of every shape, and over nothing.
-- ==
-- entry: scalars
-- input { [1, -2, 3] } output { [1, 4, 9] [true, false, true] }
-- input { [7] } output { [49] [true] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]bool) }

-- ==
-- entry: several
-- input { [7, -7] [2, 2] } output { [3, -4] [1, 1] [9, -5] }

-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] } output { [3, 7] [[2, 4], [6, 8]] [[2, 1], [4, 3]] }
-- input { empty([0][2]i32) } output { empty([0]i32) empty([0][2]i32) empty([0][2]i32) }
-- input { empty([2][0]i32) } output { [0, 0] empty([2][0]i32) empty([2][0]i32) }

-- ==
-- entry: expand
-- input { [2i64, 3i64] } output { [[0i64, 2i64, 4i64], [0i64, 3i64, 6i64]] }
-- input { empty([0]i64) } output { empty([0][3]i64) }

entry scalars [n] (xs: [n]i32) = (map (\x -> x * x) xs, map (> 0) xs)
entry several [n] (xs: [n]i32) (ys: [n]i32) =
  unzip3 (map (\(x, y) -> (x / y, x % y, x + y)) (zip xs ys))
entry rows [n] [m] (xss: [n][m]i32) =
  (map (\xs -> i32.sum xs) xss, map (map (* 2)) xss, map reverse xss)
entry expand [n] (xs: [n]i64) = map (\x -> map (* x) (iota 3)) xs
