-- T-UPDATE: the value has the LMAD's dimensions
entry f (n : i64) (x : *[2 * n]f32) (v : [2 * n]f32) -> (r : [2 * n]f32) =
  let (y : [2 * n]f32) = x with flat [0 + {(n : 2) (2 : 1)}] = v
  in (y)
