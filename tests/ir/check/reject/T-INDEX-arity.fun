-- T-INDEX: one index for two dimensions
entry f [n] [m] (x : [n][m]f32) -> (r : f32) =
  let (y : f32) = x[0]
  in (y)
