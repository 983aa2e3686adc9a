-- (F1) Cheap elements are computed again, at any index that is provably inside; sizes leave guards.
entry indices [n] (xs : [n]f32) -> (ys : [n]f32) =
  let (is : [n]i64) = iota [n] 5 2
  let (cs : [n]f32) = replicate [n] 3.0f32
  let (r : [n]f32) = kernel i < n do
    let (k : i64) = is[n - 1 - i]
    let (c : f32) = cs[i]
    let (x : f32) = xs[i]
    let (w : f32) = f32(k)
    let (y : f32) = x * w + c
    in (y)
  in (r)

entry squares (n : i64) -> (s : i64) =
  let (qs : [n]i64) = kernel i < n do
    let (q : i64) = i * i
    in (q)
  let (total : i64) = loop (acc : i64) = 0 for t < n do
    let (a : i64) = qs[t]
    let (next : i64) = acc + a
    in (next)
  in (total)

entry narrow [n] (xs : [n]i8) -> (ys : [n]i8) =
  let (is : [n]i8) = iota [n] -3i8 7i8
  let (r : [n]i8) = kernel i < n do
    let (k : i8) = is[i]
    let (x : i8) = xs[i]
    let (y : i8) = x + k
    in (y)
  in (r)

-- (F2) Through views of what a kernel makes, and then (F3).
entry views [n] [m] (a : [n][m]f32) -> (b : [n]f32) (t : [m][n]f32) =
  let (xs : [n][m]f32) = kernel i < n, j < m do
    let (x : f32) = a[i, j]
    let (y : f32) = x * 2.0f32
    in (y)
  let (back : [n][m]f32) = reverse 0 xs
  let (turned : [m][n]f32) = permute (1, 0) back
  let (r : [m][n]f32) = kernel p < m, q < n do
    let (u : f32) = turned[p, q]
    let (v : f32) = u + 1.0f32
    in (v)
  let (ds : [n]f32) = kernel i2 < n do
    let (z : f32) = a[i2, 0]
    let (e : f32) = exp(z)
    in (e)
  let (some : [n]f32) = ds[n - 1 : n : -1]
  let (s : [n]f32) = kernel i3 < n do
    let (f : f32) = some[i3]
    let (g : f32) = f * f
    in (g)
  in (s, r)

entry columns [n] [m] [k] (a : [n][m]f32) (b : [m][k]f32) -> (c : [n][k]f32) =
  let (cs : [k][m]f32) =
    kernel j < k do
      let (c_1 : [m]f32) =
        kernel t < m do
          let (row : [k]f32) = b[t, 0 : k]
          let (x : f32) = row[j]
          in (x)
      in (c_1)
  let (r : [n][k]f32) =
    kernel i < n do
      let (row_1 : [m]f32) = a[i, 0 : m]
      let (r_1 : [k]f32) =
        kernel j_1 < k do
          let (column : [m]f32) = cs[j_1, 0 : m]
          let (y : f32) =
            kernel t_1 < m reduce comm (\(p : f32) (q : f32) -> let (s : f32) = p + q in (s)) (0.0f32) do
              let (u : f32) = row_1[t_1]
              let (v : f32) = column[t_1]
              let (w : f32) = u * v
              in (w)
          in (y)
      in (r_1)
  in (r)

entry kept (n : i64) (xs : *[9][2]f32) -> (r : [9]f32) (q : [9][2]f32) (s : f32) =
  let (ys : [2][9]f32) =
    kernel c < 2, i < 9 do
      let (x : f32) = xs[8 - i, c]
      in (x)
  let (zs : [9][2]f32) = xs with [0, 0] = 7.0f32
  let (ws : [9]f32) =
    kernel i_1 < 9 do
      let (y : f32) = ys[1, i_1]
      let (z : f32) = zs[i_1, 0]
      let (w : f32) = y + z
      in (w)
  let (cs : [9][n]f32) =
    kernel j < 9, i_2 < n do
      let (v : f32) = ws[j]
      in (v)
  let (total : f32) =
    loop (acc : f32) = 0.0f32 for t < n do
      let (e : f32) = cs[3, t]
      let (next : f32) = acc + e
      in (next)
  in (ws, zs, total)

-- A dimension of size 1, as in ``is[:, None] * xs``, hides no cheap array.
entry broadcast [m] (n : i64) (xs : [m]i64) -> (out : [n][m]i64) =
  let (is : [n]i64) = iota [n] 5 1
  let (column : [n][1]i64) = reshape [n][1] is
  let (r : [n][m]i64) = kernel i < n, j < m do
    let (row : [1]i64) = column[i, 0 : 1]
    let (a : i64) = row[0]
    let (b : i64) = xs[j]
    let (c : i64) = a * b
    in (c)
  in (r)
