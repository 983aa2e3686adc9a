-- An element that was never written is read in a branch that is not taken.
entry main [n] (k : i64) (xs : [n]i64) -> (r : [n]i64) =
  let (hole : [1]i64) = scratch [1]i64
  let (out : [n]i64) = kernel i < n do
    let (z : i64) = xs[i]
    let (never : bool) = z < 0
    let (v : i64) = if never then
      let (x : i64) = hole[0]
      let (a : [x]i64) = iota [x] i 1
      let (y : i64) = a[k]
      in (y)
    else
      in (i)
    in (v)
  in (out)
