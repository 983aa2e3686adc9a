-- (1) The piece is read after the place where it was put has got something else.
-- done: copy of z2
-- refused: (1) update of b: b is used later, and z may be written there
entry main [n] (xs : [n]i32) -> (zs : [n + 1]i32) (o : i32) =
  let (whole : [n + 1]i32) = replicate [n + 1] 1i32
  let (b : [n + 1]i32) = iota [n + 1] 5i32 1i32
  let (z : [n + 1]i32) = whole with [0 : n + 1] = b
  let (z2 : [n + 1]i32) = z with [n] = 0i32
  let (e : i32) = b[n]
  in (z2, e)
