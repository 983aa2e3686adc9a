-- The last kernel could move up to the first, where nobody has shown that m is not negative.
entry main [n] (xs : [n]i64) (m : i64)
    -> [mm] (r : [n]i64) (q : [mm]i64) (p : [n][mm]i64) =
  let (as : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (a : i64) = 10 / x
    in (a)
  let (bs : [n]i64) = reverse 0 as
  let (cs : [m]i64) = iota [m] 0 1
  let (ds : [n][m]i64) = kernel j < n do
    let (y : i64) = xs[j]
    let (row : [m]i64) = iota [m] y 1
    in (row)
  in (m, bs, cs, ds)
