-- T-SIZE: the shape of a reshape
entry f [n] (x : [n]f32) -> (r : i64) =
  let (y : [n]f32) = reshape [k] x
  in (n)
