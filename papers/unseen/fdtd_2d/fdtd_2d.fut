-- An electromagnetic field in two dimensions, finite differences in time (PolyBench).
-- ==
-- input { [1.0, 2.0] [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]] [[0.5, 0.25, 1.0], [2.0, 1.0, 0.0], [1.0, 1.0, 3.0]] [[3.0, 1.0, 2.0], [1.0, 2.0, 0.0], [0.0, 4.0, 1.0]] }
-- output { [[1.0f64, 2.25f64, 2.35f64], [4.0f64, 5.05f64, 7.3f64], [7.0f64, 4.0f64, 12.0f64]] [[2.0f64, 2.0f64, 2.0f64], [2.25f64, 1.0499999999999998f64, 2.0f64], [2.35f64, -1.7f64, 2.0f64]] [[-0.8499999999999998f64, 2.295f64, 2.0f64], [0.895f64, 0.95f64, 0.0f64], [0.0f64, 4.0f64, 1.0f64]] }
-- input { [1.0] [[1.0]] [[2.0]] [[3.0]] }
-- output { [[1.0f64]] [[1.0f64]] [[3.0f64]] }

entry main [t] [n] [m] (source: [t]f64) (ex: [n][m]f64) (ey: [n][m]f64) (hz: [n][m]f64)
    : ([n][m]f64, [n][m]f64, [n][m]f64) =
  loop (ex, ey, hz) for s in source do
    let ey =
      tabulate_2d n m (\i j -> if i == 0 then s else ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j]))
    let ex =
      tabulate_2d n m (\i j ->
        if j == 0 then ex[i, j] else ex[i, j] - 0.5 * (hz[i, j] - hz[i, j - 1]))
    let hz =
      tabulate_2d n m (\i j ->
        if i < n - 1 && j < m - 1
        then hz[i, j] - 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
        else hz[i, j])
    in (ex, ey, hz)
