-- Where the branch is not taken, k may be -2^63, and n + l less than that is a large number.
entry main [a] [l] [n] (xs : [a]i32) (ys : [l]i32) (zs : [n]i32) (k : i64) -> (r : i32) =
  let (ok : bool) = k <= a
  assert ok "k"
  let (s0 : i32) = kernel i0 < a reduce (\(p1 : i32) (q1 : i32) -> let (w1 : i32) = p1 + q1 in (w1)) (0i32) do
    let (e1 : i32) = xs[i0]
    in (e1)
  let (s1 : i32) = kernel i1 < l reduce (\(p0 : i32) (q0 : i32) -> let (w0 : i32) = p0 + q0 in (w0)) (0i32) do
    let (e0 : i32) = ys[i1]
    in (e0)
  let (s2 : i32) = kernel i2 < n reduce (\(p2 : i32) (q2 : i32) -> let (w2 : i32) = p2 + q2 in (w2)) (0i32) do
    let (e2 : i32) = zs[i2]
    in (e2)
  let (s3 : i32) = s0 + s1
  let (s4 : i32) = s3 + s2
  let (x : [n + l]i32) = replicate [n + l] s4
  let (t : i32) = kernel i3 < n + l reduce (\(p3 : i32) (q3 : i32) -> let (w3 : i32) = p3 + q3 in (w3)) (0i32) do
    let (e3 : i32) = x[i3]
    in (e3)
  let (c : bool) = k >= 0
  let (u : i32) = if c then
    let (b : [k]i32) = replicate [k] t
    let (f : i32) = b[0]
    in (f)
  else
    in (t)
  in (u)
