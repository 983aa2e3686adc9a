-- T-SIZE: a size that no result binds
entry f (n : i64) -> (r : [k]i64) =
  let (y : [n]i64) = iota [n] 0 1
  in (y)
