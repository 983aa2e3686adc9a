-- One branch keeps a bound, the other one does not.
entry main [n] (xs : [n]i64) -> (r : i64) =
  let (last : i64) = loop (k : i64) = 0 for i < n do
    let (x : i64) = xs[i]
    let (up : bool) = x > 0
    let (next : i64) = if up then
      let (a : i64) = max(x, 1) in (a)
    else
      let (b : i64) = k + x in (b)
    in (next)
  let (ok : bool) = last >= 0
  assert ok "{} is negative" (last)
  in (last)
