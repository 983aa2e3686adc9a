-- (6) A slice that an iteration takes is inside of the vector if there is an iteration.
-- done: copy of y
-- refused: (6) update of b: may lie outside
entry main [k] (xs : [k]i32) (n : i64) (t : i64) -> (zs : [k]i32) (rs : i32) =
  let (y0 : [k]i32) = kernel i < k do
    let (v : i32) = xs[i]
    in (v)
  let (s : i32) = loop (q : i32) = 0i32 for j < t do
    let (w : [n]i32) = y0[0 : n]
    let (u : i32) = w[0]
    in (u)
  let (b : [n]i32) = iota [n] 7i32 1i32
  let (y : [k]i32) = y0 with [0 : n] = b
  in (y, s)
