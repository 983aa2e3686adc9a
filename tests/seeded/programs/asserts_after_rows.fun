-- The rows of an inner kernel without iterations have a negative size.
entry main [n] [q] (xs : [n]i64) (ps : [q]i64) (m : i64) (flag : bool) -> (r : [n]i64) =
  let (c1 : bool) = q <= 0
  let (c2 : bool) = m >= 0
  let (c3 : bool) = c1 || c2
  assert c3 "m is negative"
  let (zs : [n]i64) = kernel i < n do
    let (inner : [q][m]i64) = kernel j < q do
      let (row : [m]i64) = iota [m] j 1
      in (row)
    assert flag "flag"
    let (x : i64) = xs[i]
    in (x)
  in (zs)
