-- Random inputs of given shapes, with literal values between them.
-- ==
-- entry: sorted_ranges
-- random input { [100]i32 [100]i32 } output { true }
-- random input { [1]i32 [1]i32 } output { true }
-- random input { [0]i32 [0]i32 } output { true }

-- ==
-- entry: dims
-- random input { [3][5]f32 7i64 } output { 22i64 }

-- ==
-- entry: product
-- random input { [10][4]i32 [4][6]i32 } auto output
-- random input { [1][0]i32 [0][1]i32 } auto output

entry sorted_ranges [n] (xs: [n]i32) (ys: [n]i32) =
  and (map2 (\x y -> i32.min x y <= i32.max x y) xs ys)
entry dims [n] [m] (_: [n][m]f32) (k: i64) = n * m + k
entry product [n] [m] [k] (a: [n][m]i32) (b: [m][k]i32) =
  map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a
