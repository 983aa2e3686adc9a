-- (6) All of a slice is written, which is only taken of its source later, and may not be inside of it.
-- refused: (6) update of b: may lie outside
-- refused: (3) copy of z: cannot be undone
entry main [n] (k : i64) (xs : [n]i32) -> (zs : [k]i32) =
  let (whole : [n]i32) = replicate [n] 1i32
  let (b : [k]i32) = iota [k] 7i32 1i32
  let (v : [k]i32) = whole[0 : k]
  let (z : [k]i32) = v with [0 : k] = b
  in (z)
