-- T-LMAD: an LMAD slice is taken of one dimension
entry f [n] [m] (x : [n][m]f32) -> (r : i64) =
  let (y : [n]f32) = flat x[0 + {(n : m + 1)}]
  in (n)
