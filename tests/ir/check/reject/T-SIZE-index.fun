-- T-SIZE: an index is made of i64 variables
entry f [n] (x : [n]f32) (i : i32) -> (r : f32) =
  let (y : f32) = x[i + 1]
  in (y)
