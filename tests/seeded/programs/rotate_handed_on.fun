-- An inner loop hands the caller's array on to a parameter that began with a block of its own.
entry main [n] (xs : [n]i64) (k : i64) -> (r : [n]i64) (s : [n]i64) =
  let (a1 : [n]i64) (b1 : [n]i64) = loop (a : [n]i64) = xs, (b : [n]i64) = xs for t < k do
    let (d0 : [n]i64) = kernel j0 < n do
      let (e : i64) = a[j0]
      let (f : i64) = e * 5 + t
      in (f)
    let (c1 : [n]i64) (d1 : [n]i64) = loop (c : [n]i64) = b, (d : [n]i64) = d0 for i < k do
      let (new : [n]i64) = kernel j < n do
        let (u : i64) = d[n - 1 - j]
        let (v : i64) = u * 3 + i
        in (v)
      in (new, c)
    in (c1, d1)
  in (a1, b1)
