entry views [n] [m] (a : [n][m]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) =
    kernel i < n do
      let (row : [m]i64) = a[-i + n - 1, m - 1 : m : -1]
      in (row)
  in (s)

entry fresh [n] [m] (a : [n][m]i64) (k : i64) -> (r : [n][m]i64) (q : [n][m]i64) (p : [n][m]i64) =
  let (s : [n][m]i64) (t : [n][m]i64) (u : [n][m]i64) =
    kernel i < n do
      let (x : i64) = i * k
      let (row : [m]i64) = replicate [m] x
      let (steps : [m]i64) = iota [m] x 3
      let (own : [m]i64) = a[i, 0 : m]
      let (copied : [m]i64) = copy own
      in (row, steps, copied)
  in (s, t, u)

entry matrices [n] [m] (a : [m][n]i64) -> (r : [n][m][n]i64) =
  let (s : [n][m][n]i64) =
    kernel i < n do
      in (a)
  in (s)

-- nest,simplify -->

entry views [n] [m] (a : [n][m]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) =
    kernel i < n, j_1 < m do
      let (row : [m]i64) = a[-i + n - 1, m - 1 : m : -1]
      let (v_1 : i64) = row[j_1]
      in (v_1)
  in (s)

entry fresh [n] [m] (a : [n][m]i64) (k : i64) -> (r : [n][m]i64) (q : [n][m]i64) (p : [n][m]i64) =
  let (s : [n][m]i64) (t : [n][m]i64) (u : [n][m]i64) =
    kernel i < n, j_2 < m do
      let (x : i64) = i * k
      let (own : [m]i64) = a[i, 0 : m]
      let (v_3 : i64) = x + j_2 * 3
      let (v_4 : i64) = own[j_2]
      in (x, v_3, v_4)
  in (s, t, u)

entry matrices [n] [m] (a : [m][n]i64) -> (r : [n][m][n]i64) =
  let (s : [n][m][n]i64) =
    kernel i < n, j_3 < m, j_4 < n do
      let (v_5 : i64) = a[j_3, j_4]
      in (v_5)
  in (s)
