-- (6) That there are as many elements is checked after they have been written.
-- refused: (6) copy of b: a different number of elements
entry main [n] (xs : [n]i32) -> [m] (zs : [4][m]i32) =
  let (a : [4]i32) = iota [4] 7i32 1i32
  let (k : i64) = n - 3
  let (b : [4][k]i32) = reshape [4][k] a
  in (k, b)
