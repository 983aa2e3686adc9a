entry main [n] (a : [n]i64) -> (r : i64) (s : i64) =
  let (v : i64) = a[n - 1]
  let (twice : i64) = n * 2
  let (b : [twice]i64) = iota [twice] 0 1
  let (w : i64) = b[n - 1]
  let (x : [n]i64) =
    kernel i < n do
      let (c : [i + 1]i64) = iota [i + 1] 0 1
      let (y : i64) = c[i]
      in (y)
  let (z : i64) = x[n - 1]
  let (u : i64) = w + z
  in (v, u)
