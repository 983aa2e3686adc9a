-- A sparse matrix in CSR form times a vector, a thread for each row.
-- ==
-- input { [0i64, 2i64, 2i64, 3i64] [0, 2, 1] [1f32, 2f32, 3f32] [10f32, 20f32, 30f32] }
-- output { [70f32, 0f32, 60f32] }
-- input { [0i64] empty([0]i32) empty([0]f32) empty([0]f32) } output { empty([0]f32) }
-- input { [0i64, 1i64] [5] [1f32] [1f32] } error: out of bounds

-- Row i has the elements from starts[i] up to starts[i + 1], with their columns.
entry main [k] [z] [m] (starts: [k]i64) (columns: [z]i32) (values: [z]f32) (x: [m]f32) : []f32 =
  map2 (\start end -> loop sum = 0 for e in start..<end do sum + values[e] * x[i64.i32 columns[e]])
       (init starts) (tail starts)
