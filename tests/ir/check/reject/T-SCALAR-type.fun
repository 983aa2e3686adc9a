-- T-SCALAR: the sum of two i64 is not an f32
entry f (x : i64) -> (r : f32) =
  let (y : f32) = x + 1
  in (y)
