-- T-SCATTER: indices have one dimension
entry f [n] [m] (x : *[m]f32) (is : [n][1]i64) (vs : [n]f32) -> (r : i64) =
  let (y : [m]f32) = scatter x is vs
  in (n)
