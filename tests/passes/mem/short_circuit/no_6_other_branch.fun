-- (6) A slice that only one branch takes is inside of the vector if that branch runs; b is made
-- whichever runs.
-- done: copy of y
-- refused: (6) update of b: may lie outside
entry main [k] (xs : [k]i32) (n : i64) -> (zs : [k]i32) (rs : i32) =
  let (y0 : [k]i32) = kernel i < k do
    let (v : i32) = xs[i]
    in (v)
  let (c : bool) = n <= k
  let (s : i32) = if c then
    let (w : [n]i32) = y0[0 : n]
    let (t : i32) = w[0]
    in (t)
  else
    in (0i32)
  let (b : [n]i32) = iota [n] 7i32 1i32
  let (y : [k]i32) = y0 with [0 : n] = b
  in (y, s)
