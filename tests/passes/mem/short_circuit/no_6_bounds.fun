-- (6) The slice may be outside: the check that it is not comes after the piece has been made.
-- done: copy of z
-- refused: (6) update of b: may lie outside
entry main [n] (at : i64) (xs : [n]i32) -> (zs : [n]i32) =
  let (whole : [n]i32) = replicate [n] 1i32
  let (b : [2]i32) = iota [2] 7i32 1i32
  let (z : [n]i32) = whole with [at : 2] = b
  in (z)
