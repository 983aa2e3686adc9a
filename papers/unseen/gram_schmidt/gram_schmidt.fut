-- QR decomposition by the modified Gram-Schmidt process (PolyBench).
-- ==
-- input { [[1.0, 2.0], [2.0, 1.0], [2.0, 3.0]] }
-- output { [[0.3333333333333333f64, 0.5229763603684908f64], [0.6666666666666666f64, -0.7190924955066745f64], [0.6666666666666666f64, 0.4576043153224296f64]] [[3.0f64, 3.333333333333333f64], [0.0f64, 1.699673171197595f64]] }
-- input { [[4.0]] }
-- output { [[1.0f64]] [[4.0f64]] }

entry main [n] [m] (a: [n][m]f64) : ([n][m]f64, [m][m]f64) =
  let q = replicate n (replicate m 0f64)
  let r = replicate m (replicate m 0f64)
  let (_, q, r) =
    loop (a, q, r) for k < m do
      let column = a[:, k]
      let norm = f64.sqrt (f64.sum (map (\x -> x * x) column))
      let unit = map (/ norm) column
      let shares =
        tabulate m (\j ->
          if j > k then f64.sum (map2 (*) unit a[:, j]) else if j == k then norm else 0)
      let a =
        tabulate_2d n m (\i j -> if j > k then a[i, j] - unit[i] * shares[j] else a[i, j])
      let q = q with [:, k] = unit
      let r = r with [k] = shares
      in (a, q, r)
  in (q, r)
