-- A producer read in reverse, one read at two places, one whose array is needed later as well.
entry main [n] (xs : [n]i64) -> (r : [n]i64) (q : [n]i64) (p : [n]i64) =
  let (as : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (a : i64) = x * x
    in (a)
  let (bs : [n]i64) = kernel j < n do
    let (y : i64) = as[n - 1 - j]
    let (b : i64) = y + 1
    in (b)
  let (cs : [n]i64) = kernel k < n do
    let (u : i64) = bs[k]
    let (v : i64) = bs[n - 1 - k]
    let (c : i64) = u * 3 - v
    in (c)
  let (ds : [n]i64) = kernel l < n do
    let (w : i64) = bs[l]
    let (d : i64) = w * 5
    in (d)
  in (cs, bs, ds)
