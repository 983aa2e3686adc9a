-- The piece is a view of a view of an array that is read once the destination has changed.
-- done: copy of z2
-- refused: (1) update of c: c is used later, and z may be written there
entry main [n] (xs : [n]i32) -> (zs : [n + 1]i32) (o : i32) =
  let (whole : [n + 1]i32) = replicate [n + 1] 1i32
  let (a : [n + 1]i32) = kernel i < n + 1 do
    let (y : i32) = i32(i) * 2i32
    in (y)
  let (b : [n + 1]i32) = reverse 0 a
  let (c : [n + 1]i32) = b[n : n + 1 : -1]
  let (z : [n + 1]i32) = whole with [0 : n + 1] = c
  let (z2 : [n + 1]i32) = z with [0] = 9i32
  let (e : i32) = a[0]
  in (z2, e)
