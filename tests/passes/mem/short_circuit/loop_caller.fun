-- The caller gives an array away, and the loop works in its place.
-- done: next value of x
-- refused: (5) copy of z: it is a parameter of the entry point
entry main [n] (xs : *[n]i32) -> (zs : [n]i32) =
  let (z : [n]i32) = loop (x : *[n]i32) = xs for t < 3 do
    let (next : [n]i32) = kernel i < n do
      let (v : i32) = x[i]
      let (u : i32) = v * v
      in (u)
    in (next)
  in (z)
