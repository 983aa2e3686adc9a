-- (6) The slice may name one element twice, on which the update traps.
-- done: copy of z
-- refused: (6) update of b: may have one address
entry main [n] (step : i64) (xs : [n]i32) -> (zs : [n + 1]i32) =
  let (whole : [n + 1]i32) = replicate [n + 1] 1i32
  let (b : [2]i32) = iota [2] 7i32 1i32
  let (z : [n + 1]i32) = whole with [0 : 2 : step] = b
  in (z)
