-- (6) Backwards, the slice ends before the first element.
-- done: copy of z
-- refused: (6) update of b: may lie outside
entry main [n] (xs : [n]i32) -> (zs : [n + 2]i32) =
  let (whole : [n + 2]i32) = replicate [n + 2] 1i32
  let (b : [3]i32) = iota [3] 7i32 1i32
  let (z : [n + 2]i32) = whole with [1 : 3 : -1] = b
  in (z)
