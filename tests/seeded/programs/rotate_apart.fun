-- A loop in a loop keeps the value before the last; its initial values are needed afterwards.
entry main [n] (xs : [n]i64) (k : i64) -> (r : [n]i64) (s : [n]i64) =
  let (start : [n]i64) = iota [n] 0 1
  let (a1 : [n]i64) (b1 : [n]i64) = loop (a : [n]i64) = xs, (b : [n]i64) = start for t < k do
    let (c1 : [n]i64) (d1 : [n]i64) = loop (c : [n]i64) = a, (d : [n]i64) = b for i < k do
      let (new : [n]i64) = kernel j < n do
        let (u : i64) = c[j]
        let (v : i64) = d[n - 1 - j]
        let (w : i64) = u + v
        in (w)
      in (new, c)
    let (sum : [n]i64) = kernel j2 < n do
      let (p : i64) = a[j2]
      let (q : i64) = c1[j2]
      let (o : i64) = d1[n - 1 - j2]
      let (z : i64) = p + q * o
      in (z)
    in (sum, a)
  in (a1, b1)
