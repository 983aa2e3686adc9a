-- T-SIZE: the stride of a slice
entry f [n] (x : [n]f32) -> (r : i64) =
  let (y : [n]f32) = x[0 : n : s]
  in (n)
