-- Without iterations nobody asserts that m is not negative.
entry main [n] (xs : [n]i64) (m : i64) -> (r : [n]i64) =
  let (ys : [n]i64) = kernel i < n do
    let (ok : bool) = m >= 0
    assert ok "a negative number: {}" (m)
    let (x : i64) = xs[i]
    let (y : i64) = x + m
    in (y)
  in (ys)
