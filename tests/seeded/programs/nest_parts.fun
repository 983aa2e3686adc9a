-- Parts: one updates what another makes, one traps where the other does differently.
entry main [n] [m] (ys : [n][m]i64) (ks : [n]i64) -> (r : [n][m]i64) (q : [n][m]i64)
  (p : [n][m]i64) (o : [n]i64) =
  let (s : [n][m]i64) (u : [n][m]i64) = kernel i < n do
    let (row : [m]i64) = kernel j < m do
      let (y : i64) = ys[i, j]
      let (z : i64) = y * 2
      in (z)
    let (other : [m]i64) = kernel l < m do
      let (w : i64) = row[m - 1 - l]
      in (w)
    let (new : [m]i64) = row with [0] = 7
    in (new, other)
  let (t : [n][m]i64) (v : [n]i64) = kernel i2 < n do
    let (k : i64) = ks[i2]
    let (x : i64) = ks[k]
    let (row2 : [m]i64) = kernel j2 < m do
      let (y2 : i64) = ys[i2, j2]
      let (z2 : i64) = 12 / y2
      in (z2)
    in (row2, x)
  in (s, u, t, v)
