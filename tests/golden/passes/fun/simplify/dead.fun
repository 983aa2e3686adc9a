entry main [n] (a : [n]i64) (k : i64) -> (r : i64) =
  let (v : i64) = a[k]
  let (sum : i64) =
    loop (s : i64) = 0 for i < n do
      let (w : i64) = a[i]
      let (s2 : i64) = s + w
      in (s2)
  let (p : [n]i64) =
    kernel i2 < n do
      let (w2 : i64) = a[i2]
      in (w2)
  let (v2 : i64) = p[0]
  let (total : i64) = sum + v2
  in (total)
