-- Jacobi iteration: each inner cell becomes the mean of itself and its four neighbours (PolyBench).
-- ==
-- input { 2 [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]] }
-- output { [[1.0f64, 2.0f64, 3.0f64, 4.0f64], [5.0f64, 4.2f64, 4.84f64, 8.0f64], [9.0f64, 5.32f64, 4.52f64, 3.0f64], [4.0f64, 5.0f64, 6.0f64, 7.0f64]] }
-- input { 3 [[1.0, 2.0], [3.0, 4.0]] }
-- output { [[1.0f64, 2.0f64], [3.0f64, 4.0f64]] }
-- input { 0 [[1.0]] }
-- output { [[1.0f64]] }

def relax [n] (a: [n][n]f64) : [n][n]f64 =
  tabulate_2d n n (\i j ->
    if i > 0 && i < n - 1 && j > 0 && j < n - 1
    then 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
    else a[i, j])

entry main [n] (steps: i32) (a: [n][n]f64) : [n][n]f64 = iterate steps relax a
