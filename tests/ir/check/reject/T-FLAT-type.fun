-- T-FLAT: the shape is the LMAD's lengths
entry f (n : i64) (x : [n * n]f32) (k : i64) -> (r : i64) =
  let (d : [n * n]f32) = flat x[0 + {(k : n + 1)}]
  in (k)
