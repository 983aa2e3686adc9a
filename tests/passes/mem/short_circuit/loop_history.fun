-- A loop carries the piece of the step before, too; it must not be where the next one is made.
-- done: copy of z
-- refused: (4) update of y: passes on a
-- refused: (4) next value of a: passes on a
-- refused: (4) next value of o: passes on a
entry main [n] (steps : i64) (xs : [n]i32) -> (zs : [2*n]i32) (e : i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (first : [n]i32) = iota [n] 1i32 1i32
  let (zero : [n]i32) = replicate [n] 0i32
  let (y : [n]i32) (old : [n]i32) = loop (a : [n]i32) = first, (o : [n]i32) = zero for t < steps do
    let (next : [n]i32) = kernel i < n do
      let (v : i32) = a[i]
      let (w : i32) = o[i]
      let (u : i32) = v + w
      in (u)
    in (next, a)
  let (s : i32) = kernel j < n reduce (\(p : i32) (q : i32) -> let (r : i32) = p * 3i32 + q in (r)) (0i32) do
    let (x : i32) = old[j]
    in (x)
  let (z : [2*n]i32) = whole with [0 : n] = y
  in (z, s)
