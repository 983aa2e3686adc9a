-- T-CONCAT: the sizes of the other dimension differ
entry f [n] [m] (x : [n][n]f32) (y : [n][m]f32) -> (r : i64) =
  let (z : [2 * n][n]f32) = concat 0 x y
  in (n)
