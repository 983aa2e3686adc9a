-- (3) What a branch copies was made in front of it.
-- done: copy of z
-- refused: (3) update of a: a is made elsewhere: outside of the body that copies it
entry main [n] (c : bool) (xs : [n]i32) -> (zs : [2*n]i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (a : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    in (x)
  let (z : [2*n]i32) = if c then
    let (y : [2*n]i32) = whole with [0 : n] = a
    in (y)
  else
    in (whole)
  in (z)
