-- A branch in a loop allocates, and computes what would trap in the other case.
entry main [n] (steps : i64) (p : i64) (xs : [n]i64) -> (r : i64) =
  let (sum : i64) = loop (s : i64) = 0 for t < steps do
    let (c : bool) = p < n
    let (s2 : i64) = if c then
      let (q : i64) = 100 / (n - p)
      let (x : i64) = xs[p]
      let (size : i64) = q % 8 + 1
      let (a : [size]i64) = iota [size] s x
      let (y : i64) = a[size - 1]
      in (y)
    else
      in (s)
    in (s2)
  in (sum)
