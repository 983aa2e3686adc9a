-- T-SLICE: the shape of a slice is its lengths, not its offsets (errata 3)
entry f [n] (x : [n]f32) (o : i64) (k : i64) -> (r : i64) =
  let (y : [o]f32) = x[o : k]
  in (o)
