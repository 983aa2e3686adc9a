-- -0 + 0 is 0.
entry main (x : f32) -> (y : f32) =
  let (z : f32) = x + 0.0f32
  in (z)
