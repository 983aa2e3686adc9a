-- A division in front of an assertion, by a number that is not 0 if there is an iteration.
entry main [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (q : i64) = 10 / n
    let (c : bool) = q > 2
    assert c "q is small"
    let (y : i64) = x + q
    in (y)
  in (ys)
