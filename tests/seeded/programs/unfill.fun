entry main [n] (xs : [n]i64) -> (r_1 : [n]i64) (r_2 : [n]i64) (r_3 : i64) =
  let (z : [n]i64) = replicate [n] 7
  let (r : [n]i64) =
    loop (p : *[n]i64) = z for i < n do
      let (first : bool) = i == 0
      let (y : i64) =
        if first then
          in (5)
        else
          let (v : i64) = p[i - 1]
          in (v)
      let (x : i64) = xs[i]
      let (s : i64) = x + y
      let (q : [n]i64) = p with [i] = s
      in (q)
  let (z1 : [n]i64) = replicate [n] 7
  let (own : [n]i64) =
    loop (p1 : *[n]i64) = z1 for i1 < n do
      let (v1 : i64) = p1[i1]
      let (x1 : i64) = xs[i1]
      let (s1 : i64) = x1 + v1
      let (q1 : [n]i64) = p1 with [i1] = s1
      in (q1)
  let (z2 : [n]i64) = replicate [n] 7
  let (z3 : [n]i64) = replicate [n] 8
  let (a : [n]i64) (b : [n]i64) (last : i64) =
    loop (p2 : *[n]i64) = z2, (o2 : *[n]i64) = z3, (l2 : i64) = 0 for i2 < n do
      let (some : bool) = i2 > 0
      let (y2 : i64) =
        if some then
          let (v2 : i64) = p2[0]
          in (v2)
        else
          in (l2)
      let (x2 : i64) = xs[i2]
      let (s2 : i64) = x2 + y2
      let (q2 : [n]i64) = o2 with [i2] = s2
      in (q2, p2, s2)
  in (r, own, last)
