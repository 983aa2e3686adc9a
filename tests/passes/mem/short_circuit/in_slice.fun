-- A slice's rows do not overlap, however long they are: they are inside of the rows of its source.
-- done: update of b
-- refused: (3) copy of z: cannot be undone
entry main [n] (k : i64) (xs : [n]i32) -> (zs : [n][k]i32) =
  let (whole : [n][n]i32) = replicate [n][n] 1i32
  let (v : [n][k]i32) = whole[0 : n, 0 : k]
  let (b : [n][k]i32) = kernel i < n, j < k do
    let (w : i32) = i32(i)
    in (w)
  let (z : [n][k]i32) = v with [0 : n, 0 : k] = b
  in (z)
