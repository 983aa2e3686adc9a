-- Between a producer that divides and its consumer stands what reads elements never written.
entry main [n] [m] [l] (xs : [n]i64) (is : [m]i64) (us : [l]i64) (d : *[4]i64)
    -> (r : [n]i64) (q : [l]i64) (p : [4]i64) (o : [4]i64) =
  let (as : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (a : i64) = 12 / x
    in (a)
  let (h : [m]i64) = scratch [m]i64
  let (ss : [4]i64) = scatter d h is
  let (bs : [n]i64) = kernel j < n do
    let (y : i64) = as[j]
    let (b : i64) = y + 1
    in (b)
  let (cs : [l]i64) = kernel k < l do
    let (u : i64) = us[k]
    let (c : i64) = 12 / u
    in (c)
  let (g : [4]i64) = scratch [4]i64
  let (ts : [4]i64) = kernel t < l hist (g) (\ (t1 : i64) (t2 : i64) ->
    let (t3 : i64) = t1 + t2
    in (t3)) (0) do
    let (v : i64) = us[t]
    in (v, 1)
  let (ds : [l]i64) = kernel e < l do
    let (w : i64) = cs[e]
    let (z : i64) = w + 1
    in (z)
  in (bs, ds, ss, ts)
