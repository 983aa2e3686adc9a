-- (6) A flat slice ends one element behind the array, and behind its block.
-- done: copy of z
-- refused: (6) update of b: may lie outside
entry main [n] (xs : [n]i32) -> (zs : [n + 2]i32) =
  let (whole : [n + 2]i32) = replicate [n + 2] 1i32
  let (b : [n + 2]i32) = iota [n + 2] 7i32 1i32
  let (z : [n + 2]i32) = whole with flat [1 + {(n + 2 : 1)}] = b
  in (z)
