-- Half of a sum may be as large as one of its terms.
entry main [n] (xs : [n]i64) (ys : [n]i64) -> (r : i64) =
  let (half : i64) = (n + n) / 2
  let (ok : bool) = half < n
  assert ok "{} is too large" (half)
  in (half)
