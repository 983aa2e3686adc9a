-- T-SIZE: a fixed index of a slice
entry f [n] (x : [n][n]f32) -> (r : i64) =
  let (y : [n]f32) = x[i, 0 : n]
  in (n)
