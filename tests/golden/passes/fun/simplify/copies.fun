entry main [n] (a : [n]i64) (k : i64) -> (r : i64) (s : [n]i64) =
  let (x : [n]i64) = iota [n] 2 k
  let (v : i64) = x[k]
  let (w : i64) = v * 2
  in (w, x)
