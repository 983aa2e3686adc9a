-- T-SCATTER: as many values as indices
entry f [n] [m] (x : *[m]f32) (is : [n]i64) (vs : [m]f32) -> (r : i64) =
  let (y : [m]f32) = scatter x is vs
  in (n)
