-- The second kernel shows that m is not negative, until it becomes part of the last one.
entry main [n] (xs : [n]i64) (ts : [4]i64) (m : i64)
    -> [mm] (r : [n]i64) (q : [n][mm]i64) (p : [mm]i64) =
  let (as : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (a : i64) = 10 / x
    in (a)
  let (bs : [m]i64) = kernel j < m do
    let (t : i64) = ts[0]
    let (b : i64) = t + j
    in (b)
  let (cs : [n]i64) = kernel k < n do
    let (y : i64) = xs[k]
    let (c : i64) = y + 1
    in (c)
  let (ds : [n][m]i64) = kernel l < n do
    let (z : i64) = cs[l]
    let (row : [m]i64) = iota [m] z 1
    in (row)
  let (es : [m]i64) = kernel o < m do
    let (w : i64) = bs[o]
    let (e : i64) = w * 3
    in (e)
  in (m, as, ds, es)
