-- Different parallel operations at different levels of one nest.
-- ==
-- entry: row_histograms
-- input { [[0i64, 1i64, 1i64], [2i64, 2i64, 2i64]] } output { [[1, 2, 0], [0, 0, 3]] }
-- input { empty([0][2]i64) } output { empty([0][3]i32) }

-- ==
-- entry: best_row
-- input { [[1, 2], [9, -5], [3, 3]] } output { 6 [3, 3] }

-- ==
-- entry: sum_of_maxima
-- input { [[[1, 5], [2, 0]], [[-1, -2], [-3, -4]]] } output { [7, -4] 3 }
-- input { empty([0][2][2]i32) } output { empty([0]i32) 0 }

-- ==
-- entry: scan_of_sums
-- input { [[1, 2], [3, 4], [5, 6]] } output { [3, 10, 21] }

entry row_histograms [n] [m] (xss: [n][m]i64) = map (\xs -> hist (+) 0 3 xs (map (const 1i32) xs)) xss
entry best_row [n] [m] (xss: [n][m]i32) =
  let sums = map i32.sum xss
  let (best, i) = reduce (\(a, i) (b, j) -> if a >= b then (a, i) else (b, j)) (i32.lowest, 0) (zip sums (iota n))
  in (best, xss[i])
entry sum_of_maxima [a] [b] [c] (xs: [a][b][c]i32) =
  let per_slab = map (\slab -> i32.sum (map i32.maximum slab)) xs
  in (per_slab, i32.sum per_slab)
entry scan_of_sums [n] [m] (xss: [n][m]i32) = xss |> map i32.sum |> scan (+) 0
