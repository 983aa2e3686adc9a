-- (6) The slice may be outside; of a stride of unknown sign nobody says where it leads to.
-- done: copy of z
-- refused: (6) update of b: is not known
entry main [n] (at : i64) (step : i64) (xs : [n]i32) -> (zs : [n]i32) =
  let (whole : [n]i32) = replicate [n] 1i32
  let (b : [1]i32) = iota [1] 7i32 1i32
  let (z : [n]i32) = whole with flat [at + {(1 : step)}] = b
  in (z)
