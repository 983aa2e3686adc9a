-- (5) The next value is made before the current one has been read to the end.
-- done: copy of z
-- refused: (4) update of y: o reads a
-- refused: (4) next value of a: o reads a
entry main [n] (steps : i64) (xs : [n]i32) -> (zs : [2*n]i32) (s : i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (first : [n]i32) = iota [n] 1i32 1i32
  let (y : [n]i32) (e : i32) = loop (a : [n]i32) = first, (t : i32) = 0i32 for k < steps do
    let (next : [n]i32) = kernel i < n do
      let (v : i32) = a[i]
      let (u : i32) = v + v
      in (u)
    let (t1 : i32) = kernel j < n reduce (\(p : i32) (q : i32) -> let (r : i32) = p + q in (r)) (0i32) do
      let (o : i32) = a[j]
      in (o)
    in (next, t1)
  let (z : [2*n]i32) = whole with [0 : n] = y
  in (z, e)
