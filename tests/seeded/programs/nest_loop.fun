-- A loop that carries a row and a scalar, and one whose trips differ.
entry main [n] [m] (a : [n][m]i64) (t : i64) -> (r : [n][m]i64) (q : [n]i64) (p : [n][m]i64) =
  let (s : [n][m]i64) (c : [n]i64) = kernel i < n do
    let (own : [m]i64) = a[i, 0 : m]
    let (fin : [m]i64) (count : i64) = loop (cur : [m]i64) = own, (k : i64) = i for p0 < t do
      let (next : [m]i64) = kernel j < m do
        let (x : i64) = cur[j]
        let (y : i64) = cur[m - 1 - j]
        let (z : i64) = x * 2 - y + k
        in (z)
      let (k2 : i64) = k + p0
      in (next, k2)
    in (fin, count)
  let (u : [n][m]i64) = kernel i2 < n do
    let (own2 : [m]i64) = a[i2, 0 : m]
    let (fin2 : [m]i64) = loop (cur2 : [m]i64) = own2 for p2 < i2 do
      let (next2 : [m]i64) = kernel j2 < m do
        let (x2 : i64) = cur2[j2]
        let (z2 : i64) = x2 + p2
        in (z2)
      in (next2)
    in (fin2)
  in (s, c, u)
