-- T-IOTA: start and stride have one type
entry f (n : i64) -> (r : i64) =
  let (y : [n]i32) = iota [n] 0i32 1i64
  in (n)
