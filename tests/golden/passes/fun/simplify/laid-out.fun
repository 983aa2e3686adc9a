entry main [n] [m] (a : [n][m]i64) -> (r : [m][n]i64) (s : [n][m]i64) =
  let (t : [m][n]i64) = permute (1, 0) a
  let (layout : [m][n]i64) = copy t
  in (layout, a)
