-- The same, where the product that wraps is computed before the branch.
entry main [k] (xs : *[k]i32) (n : i64) (m : i64) (c : bool) -> (ys : [k]i32) (r : i32) =
  let (p : bool) = n > 0
  assert p "n"
  let (p2 : bool) = m > 1
  assert p2 "m"
  let (p3 : bool) = k > 2
  assert p3 "k"
  let (q : i64) = n * m
  let (z : [2]i32) = if c then
    let (a : [2]i32) = xs[q : 2]
    in (a)
  else
    let (b : [2]i32) = xs[n * m : 2]
    in (b)
  let (d : [2]i32) = iota [2] 77i32 1i32
  let (v : i32) = z[0]
  let (y : [k]i32) = xs with [0 : 2] = d
  in (y, v)
