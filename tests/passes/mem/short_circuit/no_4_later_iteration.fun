-- (4) The next iteration reads the old elements; this one would already have replaced them.
-- done: copy of z, next value of a
-- refused: (4) update of b: w reads whole
entry main [n] (steps : i64) (xs : [n]i32) -> (zs : [n + 1]i32) =
  let (whole : [n + 1]i32) = iota [n + 1] 1i32 2i32
  let (first : [n]i32) = replicate [n] 1i32
  let (b : [n]i32) = loop (a : [n]i32) = first for s < steps do
    let (next : [n]i32) = kernel i < n do
      let (v : i32) = a[i]
      let (w : i32) = whole[i]
      let (u : i32) = v + w
      in (u)
    in (next)
  let (z : [n + 1]i32) = whole with [0 : n] = b
  in (z)
