-- Columns as rows: of a matrix that is updated, and of rows that may not exist.
entry main [n] (xs : [n][2]i64) (ys : *[n][2]i64) (m : i64) (a : i64) -> (r : [n]i64) (q : [n][2]i64) (s : i64) (t : i64) =
  let (os : [2][n]i64) = kernel c < 2, i < n do
    let (o : i64) = ys[i, c]
    in (o)
  let (zs : [n][2]i64) = ys with [0, 1] = 7
  let (bs : [n]i64) = kernel j < n do
    let (z : i64) = os[1, j]
    let (b : i64) = z + j
    in (b)
  let (ms : [2][m]i64) = kernel c_1 < 2, k < m do
    let (x : i64) = xs[k, c_1]
    in (x)
  let (u : i64) = loop (acc : i64) = 0 for p < m do
    let (f : i64) = ms[0, 0]
    let (next : i64) = acc + f
    in (next)
  let (few : bool) = a <= n
  assert few "too many"
  let (d : i64) = i64(i8(a))
  let (ds : [2][d]i64) = kernel c_2 < 2, l < d do
    let (y : i64) = xs[l, c_2]
    in (y)
  let (v : i64) = loop (acc_1 : i64) = 0 for p_1 < d do
    let (g : i64) = ds[0, 0]
    let (next_1 : i64) = acc_1 + g
    in (next_1)
  in (bs, zs, u, v)
