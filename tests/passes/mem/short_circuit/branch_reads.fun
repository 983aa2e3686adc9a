-- One branch reads the destination after it has made its result, the other one before.
-- done: copy of z2, update of g
-- refused: (4) update of b: w reads whole
entry main [n] (c : bool) (xs : [n]i32) -> (zs : [n + 1]i32) (o : i32) =
  let (whole : [n + 1]i32) = iota [n + 1] 1i32 3i32
  let (b : [1]i32) (u : i32) = if c then
    let (p : [1]i32) = replicate [1] 4i32
    let (w : i32) = whole[0]
    in (p, w)
  else
    let (q : [1]i32) = replicate [1] 5i32
    in (q, 0i32)
  let (z : [n + 1]i32) = whole with [0 : 1] = b
  let (g : [1]i32) (h : i32) = if c then
    let (t : i32) = z[0]
    let (p2 : [1]i32) = replicate [1] 6i32
    in (p2, t)
  else
    let (q2 : [1]i32) = replicate [1] 7i32
    in (q2, 0i32)
  let (z2 : [n + 1]i32) = z with [0 : 1] = g
  let (both : i32) = u + h
  in (z2, both)
