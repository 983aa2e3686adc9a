-- T-REPLICATE: the sizes of a repeated array come after the new ones
entry f [n] (x : [n]f32) -> (r : i64) =
  let (y : [n][2]f32) = replicate [2] x
  in (n)
