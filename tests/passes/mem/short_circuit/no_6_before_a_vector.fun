-- (6) The slice begins in front of the array, and of a vector in it.
-- done: copy of z
-- refused: (6) update of b: may lie outside
entry main [n] (xs : [n]i32) -> (zs : [n]i32) =
  let (whole : [n]i32) = iota [n] 1i32 1i32
  let (v : [n - 1]i32) = whole[1 : n - 1]
  let (e : i32) = v[0]
  let (b : [n]i32) = iota [n] e 1i32
  let (z : [n]i32) = whole with flat [-1 + {(n : 1)}] = b
  in (z)
