-- A flat slice of a reversed vector goes the other way.
-- done: update of b, copy of z
entry main [n] (xs : [n]i32) -> (zs : [2*n]i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (back : [2*n]i32) = reverse 0 whole
  let (b : [n]i32) = iota [n] 7i32 1i32
  let (y : [2*n]i32) = back with flat [1 + {(n : 2)}] = b
  let (z : [2*n]i32) = reverse 0 y
  in (z)
