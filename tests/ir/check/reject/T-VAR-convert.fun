-- T-VAR: an array is not converted
entry f [n] (x : [n]i64) -> (r : f32) =
  let (y : f32) = f32(x)
  in (y)
