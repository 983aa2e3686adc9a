-- Parts of constant sizes behind one of another.
-- done: copy of z, concat of a, concat of b, concat of c
entry main [n] (xs : [n]i64) -> (zs : [n + 5]i64) =
  let (a : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (x2 : i64) = x + x
    in (x2)
  let (b : [2]i64) = iota [2] 7 3
  let (c : [3]i64) = iota [3] 70 30
  let (z : [n + 5]i64) = concat 0 a b c
  in (z)
