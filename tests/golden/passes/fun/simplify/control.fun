entry main [n] (a : [n]i64) (c : bool) (k : i64) -> (r : i64) (s : i64) (t : bool) (u : i64) =
  let (v : i64) = a[k]
  let (y : i64) =
    if c then
      in (k)
    else
      in (n)
  let (q2 : i64) = y + n
  let (b : i64) =
    loop (b1 : i64) = 0 for i3 < n do
      let (b2 : i64) = b1 + k
      in (b2)
  let (e : i64) = b + k
  in (v, q2, c, e)
