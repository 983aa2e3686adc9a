-- A matrix, then its transpose, times a vector: A^T (A x) (PolyBench).
-- ==
-- input { [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] [1.0, -1.0, 0.5] }
-- output { [8.5f64, 11.0f64, 13.5f64] }
-- input { [[3.0]] [2.0] }
-- output { [18.0f64] }

def times [n] [m] (a: [n][m]f64) (x: [m]f64) : [n]f64 =
  map (\row -> f64.sum (map2 (*) row x)) a

entry main [n] [m] (a: [n][m]f64) (x: [m]f64) : [m]f64 = times (transpose a) (times a x)
