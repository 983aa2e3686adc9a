-- A slice that was taken before is inside of the vector: so is the update of the same elements.
-- done: update of b, copy of y
entry main [k] (xs : [k]i32) (n : i64) -> (zs : [k]i32) (rs : i32) =
  let (y0 : [k]i32) = kernel i < k do
    let (v : i32) = xs[i]
    in (v)
  let (w : [n]i32) = y0[0 : n]
  let (s : i32) = w[0]
  let (b : [n]i32) = iota [n] 7i32 1i32
  let (y : [k]i32) = y0 with [0 : n] = b
  in (y, s)
