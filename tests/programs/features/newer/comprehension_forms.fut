-- Every kind of qualifier in an array comprehension: binding, filter, sequence, zip, order and group.
-- ==
-- entry: pairs
-- input { 3i64 } output { [0i64, 10i64, 11i64, 20i64, 21i64, 22i64] }
-- input { 0i64 } output { empty([0]i64) }

-- ==
-- entry: odd
-- input { [3, -2, 5, 0] } output { [9, 25] }
-- input { [2] } output { empty([0]i32) }

-- ==
-- entry: zipped
-- input { [1, 2, 3] [10, 20, 30] } output { [11, 33] }

-- ==
-- entry: ordered
-- input { [3, -2, 5, 0] } output { [-2, 0, 3, 5] }

-- ==
-- entry: counted
-- input { [3, -2, 5, 3, -2, 3] } output { [-2, 3, 5] [2, 3, 1] [-4, 9, 5] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0]i32) }

entry pairs (n: i64) = [10 * x + y | x <- 0..<n, y <- 0..<(x + 1)]
entry odd (xs: []i32) = [x * x | x <- xs, x % 2 == 1]
entry zipped [n] (xs: [n]i32) (ys: [n]i32) = [x + y | (x <- xs | y <- ys), x != 2]
entry ordered (xs: []i32) = [x | x <- xs, order by x]
entry counted (xs: []i32) =
  unzip3 [(k, n, s) | x <- xs, group by k = x into n = (+) 0 1 into s = (+) 0 x]
