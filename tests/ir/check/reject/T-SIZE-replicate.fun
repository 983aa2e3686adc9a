-- T-SIZE: the size of a replicate
entry f (n : i64) -> (r : i64) =
  let (y : [n]i64) = replicate [k] 0
  in (n)
