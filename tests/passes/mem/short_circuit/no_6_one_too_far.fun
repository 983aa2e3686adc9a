-- (6) The slice ends one element behind the array, and behind its block.
-- done: copy of z
-- refused: (6) update of b: may lie outside
entry main [n] (xs : [n]i32) -> (zs : [n]i32) =
  let (whole : [n]i32) = replicate [n] 1i32
  let (b : [n]i32) = iota [n] 7i32 1i32
  let (z : [n]i32) = whole with [1 : n] = b
  in (z)
