-- T-LITERAL: rows of different sizes
entry f [n] [m] (x : [n]f32) (y : [m]f32) -> (r : i64) =
  let (z : [2][n]f32) = [x, y] : [n]f32
  in (n)
