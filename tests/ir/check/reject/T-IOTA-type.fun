-- T-IOTA: the elements have the type of the start
entry f (n : i64) -> (r : i64) =
  let (y : [n]i64) = iota [n] 0i32 1i32
  in (n)
