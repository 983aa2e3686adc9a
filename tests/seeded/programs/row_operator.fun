-- The operator of a reduction of rows sees the index of the row.
entry main [n] [m] (xs : [n][m]i64) -> (r : [n]i64) =
  let (s : [n]i64) = kernel i < n, j < m reduce comm (\ (a : i64) (b : i64) ->
    let (c : i64) = max(a, b)
    let (d : i64) = max(c, i)
    in (d)) (0) do
    let (row : [m]i64) = xs[i, 0 : m]
    let (x : i64) = row[j]
    in (x)
  in (s)
