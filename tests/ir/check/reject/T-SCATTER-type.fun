-- T-SCATTER: the result has the type of x
entry f [n] [m] (x : *[m]f32) (is : [n]i64) (vs : [n]f32) -> (r : i64) =
  let (y : [n]f32) = scatter x is vs
  in (n)
