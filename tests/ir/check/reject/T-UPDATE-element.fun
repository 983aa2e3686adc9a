-- T-UPDATE: an element of another type
entry f [n] (x : *[n]f32) -> (r : [n]f32) =
  let (y : [n]f32) = x with [0] = 0.0
  in (y)
