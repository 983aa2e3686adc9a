-- (N2) Rows that are returned as they are.
entry views [n] [m] (a : [n][m]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) = kernel i < n do
    let (row : [m]i64) = a[n - 1 - i, m - 1 : m : -1]
    in (row)
  in (s)

entry fresh [n] [m] (a : [n][m]i64) (k : i64) -> (r : [n][m]i64) (q : [n][m]i64) (p : [n][m]i64) =
  let (s : [n][m]i64) (t : [n][m]i64) (u : [n][m]i64) = kernel i < n do
    let (x : i64) = i * k
    let (row : [m]i64) = replicate [m] x
    let (steps : [m]i64) = iota [m] x 3
    let (own : [m]i64) = a[i, 0 : m]
    let (copied : [m]i64) = copy own
    in (row, steps, copied)
  in (s, t, u)

entry matrices [n] [m] (a : [m][n]i64) -> (r : [n][m][n]i64) =
  let (s : [n][m][n]i64) = kernel i < n do
    in (a)
  in (s)
