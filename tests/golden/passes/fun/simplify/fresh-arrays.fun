entry main [n] (a : [n]i64) -> (r : [n]i64) (s : [n]i64) (t : [n]i64) (u : [n]i64) =
  let (x : [n]i64) = iota [n] 0 1
  let (z : [n]i64) = iota [n] 0 1
  let (z2 : [n]i64) = z with [0 : n] = a
  in (x, x, z2, x)
