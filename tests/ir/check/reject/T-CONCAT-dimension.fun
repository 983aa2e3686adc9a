-- T-CONCAT: dimension 1 of vectors
entry f [n] (x : [n]f32) (y : [n]f32) -> (r : i64) =
  let (z : [n]f32) = concat 1 x y
  in (n)
