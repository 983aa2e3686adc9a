-- T-UPDATE: the result is all of x, not the part that is written
entry f [n] (x : *[n]f32) (v : [2]f32) -> (r : i64) =
  let (y : [2]f32) = x with [0 : 2] = v
  in (n)
