-- T-RESHAPE: the binder's shape is not the one that the expression states
entry f [n] [m] (x : [n][m]f32) -> (r : i64) =
  let (y : [n + m]f32) = reshape [n * m] x
  in (n)
