-- T-CONCAT: the element types differ
entry f [n] (x : [n]f32) (y : [n]f64) -> (r : i64) =
  let (z : [2 * n]f32) = concat 0 x y
  in (n)
