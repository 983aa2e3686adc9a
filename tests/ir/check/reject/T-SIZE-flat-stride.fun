-- T-SIZE: the stride of an LMAD slice
entry f [n] (x : [n]f32) -> (r : i64) =
  let (y : [n]f32) = flat x[0 + {(n : s)}]
  in (n)
