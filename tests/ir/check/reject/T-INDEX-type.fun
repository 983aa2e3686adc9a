-- T-INDEX: an element of an array of f32 is no f64
entry f [n] (x : [n]f32) -> (r : f64) =
  let (y : f64) = x[0]
  in (y)
