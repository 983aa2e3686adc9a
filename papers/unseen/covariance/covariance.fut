-- The covariance matrix of the columns of a table (PolyBench).
-- ==
-- input { [[1.0, 2.0, 9.0], [2.0, 4.5, 1.0], [3.0, 5.5, 4.0], [4.0, 8.0, 0.0]] }
-- output { [[1.6666666666666667f64, 3.1666666666666665f64, -4.0f64], [3.1666666666666665f64, 6.166666666666667f64, -8.5f64], [-4.0f64, -8.5f64, 16.333333333333332f64]] }
-- input { [[1.0], [3.0]] }
-- output { [[2.0f64]] }

entry main [n] [m] (table: [n][m]f64) : [m][m]f64 =
  let means = map (\column -> f64.sum column / f64.i64 n) (transpose table)
  let centred = map (\row -> map2 (-) row means) table
  let columns = transpose centred
  in map (\xs -> map (\ys -> f64.sum (map2 (*) xs ys) / f64.i64 (n - 1)) columns) columns
