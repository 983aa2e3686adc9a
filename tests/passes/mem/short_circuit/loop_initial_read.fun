-- The initial value is read after the last value has been copied: an alias, but an older value.
-- It has to stay, so the loop works on a copy.
-- done: copy of z, next value of a, update of y
-- refused: (1) copy of first: first is used later
entry main [n] (xs : [n]i32) -> (zs : [n + 1]i32) (o : i32) =
  let (whole : [n + 1]i32) = replicate [n + 1] 1i32
  let (first : [n + 1]i32) = iota [n + 1] 7i32 2i32
  let (y : [n + 1]i32) = loop (a : [n + 1]i32) = first for t < n do
    let (next : [n + 1]i32) = kernel i < n + 1 do
      let (v : i32) = a[i]
      let (u : i32) = v + 1i32
      in (u)
    in (next)
  let (z : [n + 1]i32) = whole with [0 : n + 1] = y
  let (e : i32) = first[0]
  in (z, e)
