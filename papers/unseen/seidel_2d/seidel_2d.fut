-- Gauss-Seidel iteration: the mean of nine cells, in place and in order (PolyBench).
-- ==
-- input { 2 [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]] }
-- output { [[1.0f64, 2.0f64, 3.0f64, 4.0f64], [5.0f64, 4.11080627953056f64, 4.123118088367288f64, 8.0f64], [9.0f64, 5.161489233988345f64, 5.243904361495966f64, 3.0f64], [4.0f64, 5.0f64, 6.0f64, 7.0f64]] }
-- input { 1 [[1.0, 2.0], [3.0, 4.0]] }
-- output { [[1.0f64, 2.0f64], [3.0f64, 4.0f64]] }
-- input { 0 [[1.0]] }
-- output { [[1.0f64]] }

entry main [n] (steps: i32) (a: *[n][n]f64) : *[n][n]f64 =
  loop a for _t < steps do
    loop a for i in 1..<i64.max 1 (n - 1) do
      loop a for j in 1..<i64.max 1 (n - 1) do
        a with [i, j] =
          (a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1]
           + a[i, j - 1] + a[i, j] + a[i, j + 1]
           + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]) / 9
