entry main [n] [m] (a : [n][m]i64) (k : i64) -> (r : i64) (s : [m][n]i64) (t : [m][n]i64) =
  let (i : i64) = k + 1
  let (x : i64) = a[i, 0]
  let (t1 : [m][n]i64) = permute (1, 0) a
  let (z : i64) = x + x
  in (z, t1, t1)
