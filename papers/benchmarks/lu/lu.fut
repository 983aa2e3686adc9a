-- LU decomposition without pivoting, in place, in blocks.
-- ==
-- input { 3i64 [[4f32, 3f32, 2f32], [8f32, 10f32, 7f32], [4f32, 11f32, 18f32]] }
-- output { [[4f32, 3f32, 2f32], [2f32, 4f32, 3f32], [1f32, 2f32, 10f32]] }
-- input { 1i64 [[4f32, 3f32, 2f32], [8f32, 10f32, 7f32], [4f32, 11f32, 18f32]] }
-- output { [[4f32, 3f32, 2f32], [2f32, 4f32, 3f32], [1f32, 2f32, 10f32]] }

module lud = import "../../funmem/benchmarks/lud/lud"

entry main [n] (block: i64) (a: *[n][n]f32) : [n][n]f32 = lud.main block a
