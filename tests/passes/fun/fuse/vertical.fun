-- (F3) What one kernel makes and the next one reads is no array any more.
entry map_map [n] (xs : [n]f32) -> (r : [n]f32) =
  let (ys : [n]f32) = kernel i < n do
    let (x : f32) = xs[i]
    let (y : f32) = x * x
    in (y)
  let (zs : [n]f32) = kernel j < n do
    let (u : f32) = ys[j]
    let (v : f32) = ys[j]
    let (z : f32) = u + v
    in (z)
  in (zs)

entry map_reduce [n] (xs : [n]f32) (ys : [n]f32) -> (r : f32) =
  let (ps : [n]f32) = kernel i < n do
    let (x : f32) = xs[i]
    let (y : f32) = ys[i]
    let (p : f32) = x * y
    in (p)
  let (s : f32) = kernel j < n reduce comm (\ (a : f32) (b : f32) ->
    let (c : f32) = a + b
    in (c)) (0.0f32) do
    let (p2 : f32) = ps[j]
    in (p2)
  in (s)

entry map_scan [n] (xs : [n]i64) -> (r : [n]i64) =
  let (flags : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (b : bool) = x > 0
    let (f : i64) = i64(b)
    in (f)
  let (s : [n]i64) = kernel j < n scan (\ (a : i64) (c : i64) ->
    let (d : i64) = a + c
    in (d)) (0) do
    let (g : i64) = flags[j]
    in (g)
  in (s)

entry map_hist [n] [w] (h : *[w]i32) (xs : [n]f32) -> (r : [w]i32) =
  let (bins : [n]i64) = kernel i < n do
    let (x : f32) = xs[i]
    let (b : i64) = i64(x)
    in (b)
  let (s : [w]i32) = kernel j < n hist (h) (\ (a : i32) (c : i32) ->
    let (d : i32) = a + c
    in (d)) (0i32) do
    let (k : i64) = bins[j]
    in (k, 1i32)
  in (s)

-- Others need the array, too: the consumer makes both.
entry both [n] (xs : [n]f32) -> (r : [n]f32) (q : [n]f32) =
  let (ys : [n]f32) = kernel i < n do
    let (x : f32) = xs[i]
    let (y : f32) = x * x
    in (y)
  let (zs : [n]f32) = kernel j < n do
    let (u : f32) = ys[j]
    let (z : f32) = u + 1.0f32
    in (z)
  in (ys, zs)

-- Rows: the outer kernels become one, and then the inner ones do.
entry rows [n] [m] (a : [n][m]f32) -> (r : [n]f32) =
  let (b : [n][m]f32) = kernel i < n do
    let (row : [m]f32) = kernel j < m do
      let (x : f32) = a[i, j]
      let (y : f32) = x * x
      in (y)
    in (row)
  let (s : [n]f32) = kernel k < n do
    let (own : [m]f32) = b[k, 0 : m]
    let (t : f32) = kernel l < m reduce (\ (u : f32) (v : f32) ->
      let (w : f32) = u + v
      in (w)) (0.0f32) do
      let (z : f32) = own[l]
      in (z)
    in (t)
  in (s)

-- A producer of more dimensions becomes a row of the consumer's iteration.
entry split [n] [m] (a : [n][m]i64) -> (r : [n]i64) =
  let (b : [n][m]i64) = kernel i < n, j < m do
    let (x : i64) = a[i, j]
    let (y : i64) = x * x
    in (y)
  let (s : [n]i64) = kernel k < n do
    let (t : i64) = loop (acc : i64) = 0 for l < m do
      let (z : i64) = b[k, l]
      let (next : i64) = acc + z
      in (next)
    in (t)
  in (s)

entry turned [n] [m] (a : [n][m]f32) -> (r : [m][n]f32) =
  let (b : [n][m]f32) = kernel i < n, j < m do
    let (x : f32) = a[i, j]
    let (y : f32) = x * x
    in (y)
  let (c : [m][n]f32) = kernel p < m, q < n do
    let (u : f32) = b[q, p]
    let (v : f32) = a[q, m - 1 - p]
    let (w : f32) = u - v
    in (w)
  in (c)
