-- (4) Something else is put there first: the piece would be overwritten.
-- done: copy of z, update of a
-- refused: (4) update of b: w2 writes whole
entry main [n] (xs : [n]i32) -> (zs : [n + 2]i32) =
  let (whole : [n + 2]i32) = iota [n + 2] 1i32 2i32
  let (b : [2]i32) = iota [2] 7i32 1i32
  let (w2 : [n + 2]i32) = whole with [1] = 4i32
  let (z1 : [n + 2]i32) = w2 with [0 : 2] = b
  let (a : [n]i32) = iota [n] 3i32 1i32
  let (z : [n + 2]i32) = z1 with [2 : n] = a
  in (z)
