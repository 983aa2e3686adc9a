-- T-COPY: a copy has the same shape
entry f [n] [m] (x : [n]f32) (y : [m]f32) -> (r : i64) =
  let (z : [m]f32) = copy x
  in (n)
