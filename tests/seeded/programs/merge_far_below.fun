-- Where the branch is not taken, n*m may be as negative as -2^64: k less that is k in i64.
entry main [a] [m] [k] (xs : [a][m]i32) (ys : [k]i32) (n : i64) -> (r : i32) =
  let (ok : bool) = n <= a
  assert ok "n"
  let (s0 : [a]i32) = kernel i0 < a, i1 < m reduce (\(p1 : i32) (q1 : i32) -> let (w1 : i32) = p1 + q1 in (w1)) (0i32) do
    let (e1 : i32) = xs[i0, i1]
    in (e1)
  let (s2 : i32) = kernel i2 < k reduce (\(p2 : i32) (q2 : i32) -> let (w2 : i32) = p2 + q2 in (w2)) (0i32) do
    let (e2 : i32) = ys[i2]
    in (e2)
  let (x : [k]i32) = replicate [k] s2
  let (t : i32) = kernel i3 < k reduce (\(p3 : i32) (q3 : i32) -> let (w3 : i32) = p3 + q3 in (w3)) (0i32) do
    let (e3 : i32) = x[i3]
    in (e3)
  let (c : bool) = n >= 0
  let (u : i32) = if c then
    let (b : [n][m]i32) = replicate [n][m] t
    let (g : i64) = n - 1
    let (f : i32) = b[g, m - 1]
    in (f)
  else
    in (t)
  in (u)
