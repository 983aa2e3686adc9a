-- Where m is 0 the division still takes place.
entry main [n] [m] (xs : [n]i64) (ys : [m]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (d : i64) = 12 / x
    let (t : [m]i64) = kernel j < m do
      let (y : i64) = ys[j]
      let (z : i64) = y + d
      in (z)
    in (t)
  in (s)
