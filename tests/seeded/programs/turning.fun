-- Each iteration transposes: strides and offsets swap.
entry main [n] (a : [n][n]i32) (steps : i64) -> (r : [n][n]i32) =
  let (t : [n][n]i32) = loop (x : [n][n]i32) = a for i < steps do
    let (y : [n][n]i32) = permute (1, 0) x
    in (y)
  in (t)
