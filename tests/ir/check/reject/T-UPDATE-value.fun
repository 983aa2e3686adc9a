-- T-UPDATE: a range of k elements takes an array of k elements
entry f [n] (x : *[n]f32) (k : i64) -> (r : [n]f32) =
  let (y : [n]f32) = x with [0 : k] = 0.0f32
  in (y)
