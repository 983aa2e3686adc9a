-- Kernels over rows of varying length: (S6) and (S7).

-- The operator does not commute, so pieces and chunks must be joined in order.
entry fold [n] [m] (offs : [n]i64) (xs : [m]i32) -> (r : [n - 1]i32) (q : [n - 1]i32) =
  let (a : [n - 1]i32) (b : [n - 1]i32) =
    kernel i < n - 1, k in offs : m reduce
      (\(a1 : i32) (b1 : i32) (a2 : i32) (b2 : i32) ->
        let (a3 : i32) = a1 * a2
        let (b4 : i32) = b1 * a2
        let (b3 : i32) = b4 + b2
        in (a3, b3)) (1i32, 0i32)
    do
      let (x : i32) = xs[k]
      let (y : i32) = x + i32(i)
      in (3i32, y)
  in (a, b)

entry prefixes [n] [m] (offs : [n]i64) (xs : [m]i32) -> (r : [m]i32) (q : [m]i32) =
  let (a : [m]i32) (b : [m]i32) =
    kernel i < n - 1, k in offs : m scan
      (\(a1 : i32) (b1 : i32) (a2 : i32) (b2 : i32) ->
        let (a3 : i32) = a1 * a2
        let (b4 : i32) = b1 * a2
        let (b3 : i32) = b4 + b2
        in (a3, b3)) (1i32, 0i32)
    do
      let (x : i32) = xs[k]
      in (3i32, x)
  in (a, b)

entry map [n] [m] (offs : [n]i64) (xs : [m]i32) -> (r : [m]i64) (q : [m]i32) (p : [m][2]i64) =
  let (a : [m]i64) (b : [m]i32) (c : [m][2]i64) =
    kernel i < n - 1, k in offs : m do
      let (o : i64) = offs[i]
      let (place : i64) = 1000 * i + k - o
      let (x : i32) = xs[k]
      let (row : [2]i64) = [place, i] : i64
      in (place, x, row)
  let (d : [m]i32) = kernel i2 < n - 1, k2 in offs : m do
      let (x2 : i32) = b[k2]
      let (y2 : i32) = x2 * 2i32
      in (y2)
  in (a, d, c)

entry mapped [n] [m] (offs : [n]i64) (xs : [m]i32) -> (r : [n - 1]i32) (q : [m]i32) =
  let (s : [n - 1]i32) (ys : [m]i32) =
    kernel i < n - 1, k in offs : m reduce comm
      (\(a : i32) (b : i32) -> let (c : i32) = a + b in (c)) (0i32)
    do
      let (x : i32) = xs[k]
      let (y : i32) = x - i32(i)
      in (x, y)
  in (s, ys)

-- The operator commutes: long rows have several accumulators.
entry sums [n] [m] (offs : [n]i64) (xs : [m]i32) -> (r : [n - 1]i32) (q : [n - 1]i32) =
  let (a : [n - 1]i32) (b : [n - 1]i32) =
    kernel i < n - 1, k in offs : m reduce comm
      (\(a1 : i32) (b1 : i32) (a2 : i32) (b2 : i32) ->
        let (a3 : i32) = a1 + a2
        let (b3 : i32) = max(b1, b2)
        in (a3, b3)) (0i32, -2147483648i32)
    do
      let (x : i32) = xs[k]
      let (y : i32) = x * i32(k) + i32(i)
      in (y, x)
  in (a, b)

entry inside [n] [m] [l] (offs : [n]i64) (xs : [m]i32) (zs : [l]i32) -> (r : [l][n - 1]i32) (q : [l][m]i32) =
  let (r1 : [l][n - 1]i32) (q1 : [l][m]i32) = kernel j < l do
      let (z : i32) = zs[j]
      let (s : [n - 1]i32) = kernel i < n - 1, k in offs : m reduce
          (\(a : i32) (b : i32) -> let (c : i32) = a + b in (c)) (0i32)
        do
          let (x : i32) = xs[k]
          let (y : i32) = x * z
          in (y)
      let (t : [m]i32) = kernel i2 < n - 1, k2 in offs : m scan
          (\(a2 : i32) (b2 : i32) -> let (c2 : i32) = a2 + b2 in (c2)) (0i32)
        do
          let (x2 : i32) = xs[k2]
          in (x2)
      in (s, t)
  in (r1, q1)

-- The elements are arrays.
entry vectors [n] [m] (offs : [n]i64) (xs : [m][2]i32) -> (r : [n - 1][2]i32) (q : [m][2]i32) =
  let (zero : [2]i32) = replicate [2] 0i32
  let (s : [n - 1][2]i32) = kernel i < n - 1, k in offs : m reduce
      (\(a : [2]i32) (b : [2]i32) ->
        let (c : [2]i32) = kernel j < 2 do
          let (x : i32) = a[j]
          let (y : i32) = b[j]
          let (z : i32) = x + y
          in (z)
        in (c)) (zero)
    do
      let (row : [2]i32) = xs[k, 0 : 2 : 1]
      in (row)
  let (t : [m][2]i32) = kernel i2 < n - 1, k2 in offs : m scan
      (\(a2 : [2]i32) (b2 : [2]i32) ->
        let (c2 : [2]i32) = kernel j2 < 2 do
          let (x2 : i32) = a2[j2]
          let (y2 : i32) = b2[j2]
          let (z2 : i32) = x2 + y2
          in (z2)
        in (c2)) (zero)
    do
      let (row2 : [2]i32) = xs[k2, 0 : 2 : 1]
      in (row2)
  in (s, t)
