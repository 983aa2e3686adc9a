-- (4) The old elements are read after the loop, before the piece is put there.
-- done: copy of z, next value of a
-- refused: (4) update of b: s reads whole
entry main [n] (steps : i64) (xs : [n]i32) -> (zs : [n + 1]i32) (e : i32) =
  let (whole : [n + 1]i32) = iota [n + 1] 1i32 2i32
  let (first : [1]i32) = replicate [1] 1i32
  let (b : [1]i32) = loop (a : [1]i32) = first for s1 < steps do
    let (v : i32) = a[0]
    let (w : i32) = v + 1i32
    let (next : [1]i32) = [w] : i32
    in (next)
  let (s : i32) = whole[0]
  let (z : [n + 1]i32) = whole with [0 : 1] = b
  in (z, s)
