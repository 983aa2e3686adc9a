-- Two products in a row: alpha * A * B * C + beta * D (PolyBench 2mm).
-- ==
-- input { 2.0 0.5 [[1.0, 2.0], [3.0, 4.0]] [[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]] [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] [[10.0, 20.0], [30.0, 40.0]] }
-- output { [[59.0f64, 78.0f64], [145.0f64, 184.0f64]] }
-- input { 1.0 1.0 [[2.0]] [[3.0]] [[4.0]] [[5.0]] }
-- output { [[29.0f64]] }

def matmul [n] [k] [m] (a: [n][k]f64) (b: [k][m]f64) : [n][m]f64 =
  map (\row -> map (\column -> reduce (+) 0 (map2 (*) row column)) (transpose b)) a

def scale (x: f64) = map (map (* x))

entry main [n] [k] [m] [l]
    (alpha: f64) (beta: f64) (a: [n][k]f64) (b: [k][m]f64) (c: [m][l]f64) (d: [n][l]f64)
    : [n][l]f64 =
  let product = matmul (scale alpha (matmul a b)) c
  in map2 (map2 (+)) product (scale beta d)
