-- T-PERMUTE: a transpose exchanges the sizes
entry f [n] [m] (x : [n][m]f32) -> (r : i64) =
  let (y : [n][m]f32) = permute (1, 0) x
  in (n)
