-- T-SLICE: a fixed dimension disappears
entry f [n] [m] (x : [n][m]f32) -> (r : i64) =
  let (y : [1][m]f32) = x[0, 0 : m]
  in (n)
