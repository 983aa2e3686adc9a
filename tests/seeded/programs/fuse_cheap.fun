-- Cheap arrays: a computed index, a stride, a view, a division, and a size that may be negative.
entry main [n] (ks : [n]i64) (m : i64) -> (r : [n]i64) (s : i64) =
  let (is : [n]i64) = iota [n] 10 3
  let (back : [n]i64) = reverse 0 is
  let (qs : [m]i64) = iota [m] 0 1
  let (ds : [n]i64) = kernel i < n do
    let (d : i64) = i - 2
    let (e : i64) = 12 / d
    in (e)
  let (bs : [n]i64) = kernel j < n do
    let (k : i64) = ks[j]
    let (x : i64) = is[k]
    let (y : i64) = back[j]
    let (b : i64) = x * 100 + y
    in (b)
  let (t : i64) = loop (acc : i64) = 0 for p < m do
    let (q : i64) = qs[p]
    let (next : i64) = acc + q
    in (next)
  in (bs, t)
