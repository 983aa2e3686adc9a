-- alpha * A * B + beta * C (BLAS; PolyBench).
-- ==
-- input { 1.5 0.5 [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] [[1.0, -1.0, 2.0], [0.5, 0.0, 1.0]] [[2.0, 2.0, 2.0], [4.0, 4.0, 4.0], [6.0, 6.0, 6.0]] }
-- output { [[4.0f64, -0.5f64, 7.0f64], [9.5f64, -2.5f64, 17.0f64], [15.0f64, -4.5f64, 27.0f64]] }
-- input { 2.0 1.0 [[3.0]] [[4.0]] [[5.0]] }
-- output { [[29.0f64]] }

def dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)

entry main [n] [k] [m] (alpha: f64) (beta: f64) (a: [n][k]f64) (b: [k][m]f64) (c: [n][m]f64)
    : [n][m]f64 =
  map2 (\row old -> map2 (\column x -> alpha * dot row column + beta * x) (transpose b) old) a c
