-- A sparse matrix in ELL form times a vector: all rows have as many elements as the longest; the
-- k-th elements of all rows lie side by side, and those that are not there have column -1.
-- ==
-- input { [[0, -1, 2], [1, -1, -1]] [[1f32, 0f32, 3f32], [2f32, 0f32, 0f32]] [10f32, 20f32, 30f32] }
-- output { [50f32, 0f32, 90f32] }
-- input { empty([0][2]i32) empty([0][2]f32) [1f32] } output { [0f32, 0f32] }
-- input { [[3]] [[1f32]] [1f32] } error: out of bounds

entry main [w] [n] [m] (columns: [w][n]i32) (values: [w][n]f32) (x: [m]f32) : [n]f32 =
  let product (c: i32) v = if c < 0 then 0 else v * x[i64.i32 c]
  in map2 (\cs vs -> f32.sum (map2 product cs vs)) (transpose columns) (transpose values)
