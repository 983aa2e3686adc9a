-- T-LMAD: an LMAD is written in one dimension
entry f [n] [m] (x : *[n][m]f32) (v : [n]f32) -> (r : [n][m]f32) =
  let (y : [n][m]f32) = x with flat [0 + {(n : m)}] = v
  in (y)
