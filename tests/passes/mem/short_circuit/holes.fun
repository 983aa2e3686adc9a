-- Elements that are never written may be in a new block, beside an array that is there already.
-- done: copy of z, concat of a, concat of b
entry main [n] (k : i64) (xs : [n]i32) -> (zs : [n + 2]i32) (o : i32) =
  let (a : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (y : i32) = x + x
    in (y)
  let (b0 : [2]i32) = scratch [2]i32
  let (b : [2]i32) = b0 with [0] = 5i32
  let (z : [n + 2]i32) = concat 0 a b
  let (s : i32) = z[k]
  in (z, s)
