-- T-SCATTER: indices are i64
entry f [n] [m] (x : *[m]f32) (is : [n]i32) (vs : [n]f32) -> (r : i64) =
  let (y : [m]f32) = scatter x is vs
  in (n)
