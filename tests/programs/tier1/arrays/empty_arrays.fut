-- Arrays with a dimension of zero keep their other dimensions through every operation.
-- ==
-- entry: shapes
-- input { empty([0][3]i32) } output { 0i64 3i64 empty([3][0]i32) empty([0]i32) }
-- input { empty([2][0]i32) } output { 2i64 0i64 empty([0][2]i32) empty([0]i32) }
-- input { empty([0][0]i32) } output { 0i64 0i64 empty([0][0]i32) empty([0]i32) }

-- ==
-- entry: sums
-- input { empty([0][3]f64) } output { empty([0]f64) [0.0, 0.0, 0.0] }
-- input { empty([2][0]f64) } output { [0.0, 0.0] empty([0]f64) }

-- ==
-- entry: grown
-- input { empty([0]i32) } output { [1] empty([0]i32) empty([0]i32) }

entry shapes [n] [m] (xss: [n][m]i32) = (length xss, length (transpose xss), transpose xss, flatten xss)
entry sums [n] [m] (xss: [n][m]f64) = (map f64.sum xss, map f64.sum (transpose xss))
entry grown (xs: []i32) = (xs ++ [1], reverse xs, rotate 3 xs)
