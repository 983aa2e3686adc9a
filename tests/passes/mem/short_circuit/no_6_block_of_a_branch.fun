-- (6) The slice may be outside, and how large the block is only a run tells.
-- refused: (6) update of b: is not known
entry main [n] (c : bool) (at : i64) (xs : [n]i32) -> (r : i32) =
  let (x : [n]i32) =
    if c then
      let (y : [n]i32) = replicate [n] 3i32
      in (y)
    else
      let (w : [n]i32) = iota [n] 1i32 1i32
      in (w)
  let (b : [2]i32) = iota [2] 7i32 1i32
  let (z : [n]i32) = x with [at : 2] = b
  let (z0 : i32) = z[0]
  in (z0)
