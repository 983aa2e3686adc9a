-- A map over rows that mentions the row, and a fold of the same rows.
entry main [n] [m] (offs : [n]i64) (xs : [m]i64) -> (r : [n - 1]i64) =
  let (ys : [m]i64) = kernel i < n - 1, k in offs : m do
    let (x : i64) = xs[k]
    let (y : i64) = x * (i + 1)
    in (y)
  let (s : [n - 1]i64) = kernel j < n - 1, l in offs : m reduce comm
    (\ (a : i64) (b : i64) -> let (c : i64) = a + b in (c)) (0) do
    let (z : i64) = ys[l]
    in (z)
  in (s)
