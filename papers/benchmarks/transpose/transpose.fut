-- The transpose of a matrix, row by row in memory.
-- ==
-- input { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32]] }
-- output { [[1f32, 4f32], [2f32, 5f32], [3f32, 6f32]] }
-- input { empty([0][2]f32) } output { empty([2][0]f32) }

entry main [n] [m] (a: [n][m]f32) : [m][n]f32 = transpose a
