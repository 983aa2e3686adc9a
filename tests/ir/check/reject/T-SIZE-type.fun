-- T-SIZE: a size is an i64
entry f (n : i32) -> (r : i32) =
  let (y : [n]i64) = iota [4] 0 1
  in (n)
