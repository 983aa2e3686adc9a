-- T-IOTA: an iota counts in integers
entry f (n : i64) -> (r : i64) =
  let (y : [n]f32) = iota [n] 0.0f32 1.0f32
  in (n)
