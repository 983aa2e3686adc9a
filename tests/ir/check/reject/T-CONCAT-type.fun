-- T-CONCAT: the sizes of the joined dimension add up
entry f [n] [m] (x : [n]f32) (y : [m]f32) -> (r : i64) =
  let (z : [2 * n]f32) = concat 0 x y
  in (n)
