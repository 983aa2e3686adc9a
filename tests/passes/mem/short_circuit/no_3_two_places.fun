-- (3) In one branch the array itself, in the other one its reverse: it has no one place.
-- done: copy of z
-- refused: (3) update of b: a would be needed at
entry main [n] (c : bool) (xs : [n]i32) -> (zs : [2*n]i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (a : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (y : i32) = x + 1i32
    in (y)
  let (b : [n]i32) = if c then
    in (a)
  else
    let (r : [n]i32) = reverse 0 a
    in (r)
  let (z : [2*n]i32) = whole with [0 : n] = b
  in (z)
