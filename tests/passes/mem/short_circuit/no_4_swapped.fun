-- (4) Branches swap two pieces: either place would have to hold both.
-- done: copy of z2
-- refused: (4) update of p: p q passes on a
-- refused: (4) update of q: p q passes on a
entry main [n] (c : bool) (xs : [n]i32) -> (zs : [2*n]i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (a : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (y : i32) = x + 1i32
    in (y)
  let (b : [n]i32) = iota [n] 2i32 1i32
  let (p : [n]i32) (q : [n]i32) = if c then
    in (a, b)
  else
    in (b, a)
  let (z : [2*n]i32) = whole with [0 : n] = p
  let (z2 : [2*n]i32) = z with [n : n] = q
  in (z2)
