-- One piece put into two places: into the second it is copied from the first.
-- done: copy of z, concat of b
-- refused: (1) concat of b: already built where another copy
entry main [n] (xs : [n]i32) -> (zs : [2*n]i32) =
  let (b : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (y : i32) = x + 1i32
    in (y)
  let (z : [2*n]i32) = concat 0 b b
  in (z)
