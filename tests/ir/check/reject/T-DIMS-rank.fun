-- T-DIMS: one range for two dimensions
entry f [n] [m] (x : [n][m]f32) -> (r : i64) =
  let (y : [n]f32) = x[0 : n]
  in (n)
