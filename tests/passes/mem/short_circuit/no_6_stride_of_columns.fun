-- (6) Each row of the slice may name one element twice, though it names no row twice.
-- done: copy of z
-- refused: (6) update of b: may have one address
entry main [n] (step : i64) (xs : [n]i32) -> (zs : [n + 1][n + 1]i32) =
  let (whole : [n + 1][n + 1]i32) = replicate [n + 1][n + 1] 1i32
  let (b : [1][2]i32) = replicate [1][2] 7i32
  let (z : [n + 1][n + 1]i32) = whole with [0 : 1, 0 : 2 : step] = b
  in (z)
