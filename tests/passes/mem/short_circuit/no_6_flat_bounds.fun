-- (6) The LMAD may leave the vector: the check that it does not comes after the rows have been made.
-- done: copy of z
-- refused: (6) update of b: may lie outside
entry main [n] (at : i64) (xs : [n]i32) -> (zs : [n]i32) =
  let (ok : bool) = 0 <= at
  assert ok "it begins in the vector"
  let (whole : [n]i32) = replicate [n] 1i32
  let (b : [2][2]i32) = replicate [2][2] 7i32
  let (z : [n]i32) = whole with flat [at + {(2 : 2) (2 : 1)}] = b
  in (z)
