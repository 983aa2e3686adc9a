entry main [n] (a : [n]i64) -> [m] (r : [m]i64) =
  let (last : i64) = n - 1
  let (x : [last]i64) = iota [last] 0 1
  in (last, x)
