-- T-IOTA: the start is a scalar
entry f [n] (x : [n]i64) -> (r : i64) =
  let (y : [n]i64) = iota [n] x 1
  in (n)
