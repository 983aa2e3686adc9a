-- The initial value is used after the loop: the loop works on a copy of it, in its own place.
-- done: copy of z, next value of a, update of y
-- refused: (1) copy of first: first is used later, and next may be written there
entry main [n] (steps : i64) (xs : [n]i32) -> (zs : [2*n]i32) (o : i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (first : [n]i32) = iota [n] 1i32 1i32
  let (y : [n]i32) = loop (a : [n]i32) = first for t < steps do
    let (next : [n]i32) = kernel i < n do
      let (v : i32) = a[i]
      let (u : i32) = v + v
      in (u)
    in (next)
  let (s : i32) = kernel j < n reduce (\(p : i32) (q : i32) -> let (r : i32) = p + q in (r)) (0i32) do
    let (e : i32) = first[j]
    in (e)
  let (z : [2*n]i32) = whole with [0 : n] = y
  in (z, s)
