-- T-SIZE: the offset of an LMAD slice
entry f [n] (x : [n]f32) -> (r : i64) =
  let (y : [n]f32) = flat x[o + {(n : 1)}]
  in (n)
