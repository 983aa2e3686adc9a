-- How far a loop counts down is known only after it.
entry main [n] (xs : [n]i64) -> (r : i64) =
  let (left : i64) = loop (k : i64) = 0 for i < n do
    let (x : i64) = xs[i]
    let (less : i64) = k - x
    in (less)
  let (ok : bool) = left >= 0
  assert ok "{} are left" (left)
  in (left)
