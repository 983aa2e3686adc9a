-- T-SIZE: the length of an LMAD slice
entry f [n] (x : [n]f32) -> (r : i64) =
  let (y : [n]f32) = flat x[0 + {(k : 1)}]
  in (n)
