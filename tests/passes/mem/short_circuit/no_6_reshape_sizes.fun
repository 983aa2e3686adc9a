-- (6) As many elements: but two sizes may be negative, on which the reshape traps.
-- done: copy of z
-- refused: (6) update of b: size n - 3 may be negative
entry main [n] (xs : [n]i32) -> [m] (zs : [m]i32) =
  let (k : i64) = n * n - 6 * n + 9
  let (whole : [k]i32) = replicate [k] 1i32
  let (a : [n * n - 6 * n + 9]i32) = iota [n * n - 6 * n + 9] 7i32 1i32
  let (b : [n - 3][n - 3]i32) = reshape [n - 3][n - 3] a
  let (z : [k]i32) = whole with flat [0 + {(n - 3 : n - 3) (n - 3 : 1)}] = b
  in (k, z)
