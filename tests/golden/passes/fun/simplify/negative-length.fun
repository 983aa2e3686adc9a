entry main [n] (a : [n]i64) -> (r : i64) =
  let (k : i64) = 3
  let (x : [k - 5]i64) = iota [k - 5] 0 1
  let (y : i64) = x[k]
  in (y)
