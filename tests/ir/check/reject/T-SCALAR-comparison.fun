-- T-SCALAR: a comparison gives a bool
entry f (x : f32) -> (r : f32) =
  let (y : f32) = x < 1.0f32
  in (y)
