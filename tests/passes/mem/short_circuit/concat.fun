-- Three pieces are built side by side; the block that they share is allocated before the first one.
-- done: copy of z, concat of a, concat of b
-- refused: (3) concat of ys: it is a parameter of the entry point
entry main [n] [m] (xs : [n]i64) (ys : [m]i64) -> (zs : [n + m + 2]i64) =
  let (a : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (x2 : i64) = x + x
    in (x2)
  let (b : [2]i64) = iota [2] 7 3
  let (c : [m]i64) = copy ys
  let (z : [n + m + 2]i64) = concat 0 a b c
  in (z)
