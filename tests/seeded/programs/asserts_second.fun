-- The element is missing before anybody asserts something.
entry main [n] (xs : [n]i64) (m : i64) -> (r : [n]i64) =
  let (ys : [n]i64) = kernel i < n do
    let (x : i64) = xs[i + m]
    let (ok : bool) = m >= 0
    assert ok "a negative number: {}" (m)
    in (x)
  in (ys)
