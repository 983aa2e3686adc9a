-- (3) A slice that is as long as the array, but begins elsewhere, is there only where it is empty.
-- done: copy of z
-- refused: (3) update of b: b is a slice of a that cannot be undone at
-- refused: (3) update of c: c is a slice of d that cannot be undone at
entry main [n] (k : i64) (xs : [n]i32) -> (zs : [2*n]i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (a : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    in (x)
  let (b : [n]i32) = a[k : n]
  let (y : [2*n]i32) = whole with [n : n] = b
  let (d : [n]i32) = kernel i1 < n do
    let (x1 : i32) = xs[i1]
    in (x1)
  let (c : [n]i32) = d[k : n : 2]
  let (z : [2*n]i32) = y with [0 : n] = c
  in (z)
