-- (6) An LMAD that goes backwards from the first element is outside, if it has two elements.
-- done: copy of z
-- refused: (6) update of b: may lie outside
entry main [n] (xs : [n]i32) -> (zs : [n + 1]i32) =
  let (whole : [n + 1]i32) = replicate [n + 1] 1i32
  let (b : [n]i32) = iota [n] 7i32 1i32
  let (z : [n + 1]i32) = whole with flat [0 + {(n : -1)}] = b
  in (z)
