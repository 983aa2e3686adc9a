-- A view of the piece, made after the copy, leaves the branch.
-- done: copy of y
-- refused: (1) update of b: back is a result of a branch of z v
entry main [n] (c : bool) (xs : [n]i32) -> (zs : [n + 1]i32) (o : i32) =
  let (whole : [n + 1]i32) = replicate [n + 1] 1i32
  let (other : [n + 1]i32) = iota [n + 1] 2i32 1i32
  let (z : [n + 1]i32) (v : [n + 1]i32) = if c then
    let (b : [n + 1]i32) = iota [n + 1] 3i32 5i32
    let (z1 : [n + 1]i32) = whole with [0 : n + 1] = b
    let (back : [n + 1]i32) = reverse 0 b
    in (z1, back)
  else
    in (whole, other)
  let (y : [n + 1]i32) = z with [0] = 9i32
  let (e : i32) = v[n]
  in (y, e)
