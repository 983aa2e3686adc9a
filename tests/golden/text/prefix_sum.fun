entry main [n] (xs : [n]i32) -> (ys : [n]i32) =
  let (sums : [n]i32) =
    kernel i < n scan
      (\(a : i32) (b : i32) ->
        let (c : i32) = a + b
        in (c)) (0i32)
    do
      let (x : i32) = xs[i]
      in (x)
  in (sums)

entry rows [m] [w] (rs : [m][w]i32) -> (out : [m][w]i32) =
  let (row_sums : [m][w]i32) =
    kernel r < m, j < w scan
      (\(p : i32) (q : i32) ->
        let (pq : i32) = p + q
        in (pq)) (0i32)
    do
      let (v : i32) = rs[r, j]
      in (v)
  in (row_sums)
