-- What each iteration ensures does not hold without iterations.
entry main [n] (xs : [n]i64) (first : i64) -> (r : i64) =
  let (last : i64) = loop (k : i64) = first for i < n do
    let (x : i64) = xs[i]
    let (more : i64) = max(x, 0)
    in (more)
  let (ok : bool) = last >= 0
  assert ok "{} is negative" (last)
  in (last)
