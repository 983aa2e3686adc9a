-- (1) The piece is a result itself; later writes to the destination would show in it.
-- done: copy of z, copy of b
-- refused: (1) update of b: already built where another copy
entry main [n] (xs : [n]i32) -> (zs : [2*n]i32) (bs : [n]i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (b : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (y : i32) = x + 1i32
    in (y)
  let (z : [2*n]i32) = whole with [0 : n] = b
  in (z, b)
