-- T-SIZE: the size of an iota
entry f (n : i64) -> (r : i64) =
  let (y : [n]i64) = iota [k] 0 1
  in (n)
