-- Maps of the elements alone: the offsets are checked, although no kernel over rows is left.
entry main [n] [m] (offs : [n]i64) (xs : [m]i64) -> (r : [m]i64) =
  let (ys : [m]i64) = kernel i < n - 1, k in offs : m do
    let (x : i64) = xs[k]
    let (y : i64) = x * 2
    in (y)
  let (zs : [m]i64) = kernel j < m do
    let (z : i64) = ys[j]
    let (w : i64) = z + 1
    in (w)
  in (zs)
