-- (6) The slice's columns are inside, and one of its rows is not.
-- done: copy of z
-- refused: (6) update of b: may lie outside
entry main [n] [m] (xs : [n][m]i32) -> (zs : [n][m]i32) =
  let (whole : [n][m]i32) = replicate [n][m] 1i32
  let (b : [n][m]i32) = replicate [n][m] 7i32
  let (z : [n][m]i32) = whole with [1 : n, 0 : m] = b
  in (z)
