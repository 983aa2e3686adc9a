-- Two-point angular correlation: a histogram of the cosines of the angles between all pairs of
-- directions (Parboil tpacf).  The bounds of the bins fall.
-- ==
-- input { [1.0, 0.9, 0.5, -1.0] [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, -1.0], [0.98, 0.1, 0.1]] }
-- output { [0i64, 1i64, 3i64, 6i64, 0i64] }
-- input { [0.0] [[1.0, 0.0, 0.0]] }
-- output { [0i64, 0i64] }

entry main [b] [n] (bounds: [b]f64) (stars: [n][3]f64) : [b + 1]i64 =
  let bin i j =
    let cosine = f64.sum (map2 (*) stars[i] stars[j])
    let (low, _) =
      loop (low, high) = (0, b) while low < high do
        let middle = (low + high) / 2
        in if cosine < bounds[middle] then (middle + 1, high) else (low, middle)
    in low
  let count i =
    loop counts = replicate (b + 1) 0 for j in i + 1..<n do
      let k = bin i j
      in counts with [k] = counts[k] + 1
  in reduce (map2 (+)) (replicate (b + 1) 0) (map count (iota n))
