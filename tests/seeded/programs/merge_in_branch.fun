-- That k <= j is known in the branch alone: where x lives, a block of 4*k bytes may be too large.
entry main [j] [n] (xs : [j]i32) (ys : [n]i32) (k : i64) -> (r : i32) =
  let (s1 : i32) = kernel i1 < j reduce (\(p1 : i32) (q1 : i32) -> let (w1 : i32) = p1 + q1 in (w1)) (0i32) do
    let (e1 : i32) = xs[i1]
    in (e1)
  let (s2 : i32) = kernel i2 < n reduce (\(p2 : i32) (q2 : i32) -> let (w2 : i32) = p2 + q2 in (w2)) (0i32) do
    let (e2 : i32) = ys[i2]
    in (e2)
  let (s3 : i32) = s1 + s2
  let (x : [n]i32) = replicate [n] s3
  let (t : i32) = kernel i3 < n reduce (\(p3 : i32) (q3 : i32) -> let (w3 : i32) = p3 + q3 in (w3)) (0i32) do
    let (e3 : i32) = x[i3]
    in (e3)
  let (c : bool) = k <= j
  let (u : i32) = if c then
    let (b : [k]i32) = replicate [k] t
    let (f : i32) = kernel i4 < k reduce (\(p4 : i32) (q4 : i32) -> let (w4 : i32) = p4 + q4 in (w4)) (0i32) do
      let (e4 : i32) = b[i4]
      in (e4)
    in (f)
  else
    in (t)
  in (u)
