-- (3) A part of an array: the rest of it would have no place.
-- done: copy of z
-- refused: (3) update of b: b is a slice of a that cannot be undone at
entry main [n] (xs : [n]i32) -> (zs : [2*n]i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (a : [n + 1]i32) = kernel i < n + 1 do
    let (y : i32) = i32(i)
    in (y)
  let (b : [n]i32) = a[0 : n]
  let (z : [2*n]i32) = whole with [0 : n] = b
  in (z)
