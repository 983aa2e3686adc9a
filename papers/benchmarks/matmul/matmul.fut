-- The product of two matrices, one inner product for each element.
-- ==
-- input { [[1f32, 2f32], [3f32, 4f32]] [[1f32, 0f32, -1f32], [2f32, 1f32, 0f32]] }
-- output { [[5f32, 2f32, -1f32], [11f32, 4f32, -3f32]] }
-- input { empty([2][0]f32) empty([0][1]f32) } output { [[0f32], [0f32]] }

module matmul = import "../../applications/matmul/matmul"

entry main [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) : [n][p]f32 = matmul.multiply a b
