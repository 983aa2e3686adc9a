-- (7) Elements that are never written would be what was there before.
-- done: copy of z
-- refused: (7) update of b: b may have elements that were never written
entry main [n] (k : i64) (xs : [n]i32) -> (zs : [n + 2]i32) (o : i32) =
  let (whole : [n + 2]i32) = replicate [n + 2] 1i32
  let (b0 : [2]i32) = scratch [2]i32
  let (b : [2]i32) = b0 with [0] = 5i32
  let (z : [n + 2]i32) = whole with [0 : 2] = b
  let (s : i32) = z[k]
  in (z, s)
