-- Rows that are returned backwards.
entry main [n] [m] (xs : [n][m]i64) -> (r : [n][m]i64) (q : [n][m]i64) =
  let (s : [n][m]i64) (t : [n][m]i64) = kernel i < n do
    let (row : [m]i64) = kernel j < m do
      let (x : i64) = xs[i, j]
      let (y : i64) = x + 1
      in (y)
    let (back : [m]i64) = reverse 0 row
    in (row, back)
  in (s, t)
