-- Rows: an iota, a view of what was never written, and two results in another order.
entry main [n] [m] (xs : [n][m]i64) -> (r : [n][m]i64) (q : [n][m]i64) (p : [n][m]i64) =
  let (hole : [n][m]i64) = scratch [n][m]i64
  let (s : [n][m]i64) = kernel i < n do
    let (row : [m]i64) = iota [m] i 2
    in (row)
  let (t : [n][m]i64) = kernel j < n do
    let (old : [m]i64) = hole[j, 0 : m]
    in (old)
  let (zero : [m]i64) = replicate [m] 0
  let (u : [n][m]i64) = loop (w : *[n][m]i64) = t for k < n do
    let (v : [n][m]i64) = w with [k, 0 : m] = zero
    in (v)
  let (a : [n][m]i64) (b : [n][m]i64) = kernel l < n do
    let (c : [m]i64) (d : [m]i64) = kernel o < m do
      let (x : i64) = xs[l, o]
      let (y : i64) = x + 1
      in (x, y)
    in (d, c)
  let (e : [n][m]i64) = kernel f < n, g < m do
    let (h : i64) = a[f, g]
    let (i2 : i64) = b[f, g]
    let (j2 : i64) = h * 10 - i2
    in (j2)
  in (s, u, e)
