-- T-BIN: floats are not shifted
entry f (x : f32) -> (r : f32) =
  let (y : f32) = x << x
  in (y)
