-- A map over rows that mentions the row, and a fold of rows with other offsets.
entry main [n] [m] (offs : [n]i64) (ends : [n]i64) (xs : [m]i64) -> (r : [n - 1]i64) (q : [n - 1]i64) =
  let (ys : [m]i64) = kernel i < n - 1, k in offs : m do
    let (x : i64) = xs[k]
    let (y : i64) = x * (i + 1)
    in (y)
  let (s : [n - 1]i64) = kernel j < n - 1, l in ends : m reduce comm
    (\ (a : i64) (b : i64) -> let (c : i64) = a + b in (c)) (0) do
    let (z : i64) = ys[l]
    let (x0 : i64) = xs[l]
    let (w : i64) = z - x0
    in (w)
  let (t : [n - 1]i64) = kernel j2 < n - 1, l2 in offs : m reduce comm
    (\ (a2 : i64) (b2 : i64) -> let (c2 : i64) = a2 + b2 in (c2)) (0) do
    let (z2 : i64) = xs[l2]
    in (z2)
  in (s, t)
