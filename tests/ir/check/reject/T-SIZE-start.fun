-- T-SIZE: the start of a slice
entry f [n] (x : [n]f32) -> (r : i64) =
  let (y : [n]f32) = x[o : n]
  in (n)
