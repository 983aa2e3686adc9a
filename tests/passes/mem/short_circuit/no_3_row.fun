-- (3) The first of two rows: the second one would have no place.
-- done: copy of z
-- refused: (3) update of b: b is a slice of a that cannot be undone at
entry main [n] (xs : [n]i32) -> (zs : [2*n]i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (a : [2][n]i32) = kernel i < 2, j < n do
    let (x : i32) = xs[j]
    in (x)
  let (b : [n]i32) = a[0, 0 : n]
  let (z : [2*n]i32) = whole with [n : n] = b
  in (z)
