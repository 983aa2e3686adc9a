-- (N1) A kernel in a kernel: one kernel of two dimensions, scalars and views repeated.
entry matmul [n] [m] [k] (a : [n][k]f32) (b : [k][m]f32) -> (c : [n][m]f32) =
  let (r : [n][m]f32) = kernel i < n do
    let (row : [k]f32) = a[i, 0 : k]
    let (s : [m]f32) = kernel j < m do
      let (col : [k]f32) = b[0 : k, j]
      let (dot : f32) = kernel l < k reduce comm (\ (x : f32) (y : f32) ->
        let (z : f32) = x + y
        in (z)) (0.0f32) do
        let (u : f32) = row[l]
        let (v : f32) = col[l]
        let (w : f32) = u * v
        in (w)
      in (dot)
    in (s)
  in (r)

entry scalars [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n][m]f32) (q : [n][m]f32) =
  let (s : [n][m]f32) (t : [n][m]f32) = kernel i < n do
    let (x : f32) = xs[i]
    let (x2 : f32) = x * x
    let (a : [m]f32) (b : [m]f32) = kernel j < m do
      let (y : f32) = ys[j]
      let (z : f32) = x2 + y
      let (w : f32) = x2 - y
      in (z, w)
    in (b, a)
  in (s, t)

entry segmented [n] [m] (xs : [n][m]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) = kernel i < n do
    let (row : [m]i64) = xs[i, m - 1 : m : -1]
    let (t : [m]i64) = kernel j < m scan (\ (a : i64) (b : i64) ->
      let (c : i64) = a + b
      let (d : i64) = max(c, i)
      in (d)) (0) do
      let (x : i64) = row[j]
      in (x)
    in (t)
  in (s)

-- What stands before a fold is done once, not in every step.
entry once [n] [m] (xs : [n][m]i64) (ks : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) = kernel i < n do
    let (k : i64) = ks[i]
    let (t : i64) = kernel j < m reduce (\ (a : i64) (b : i64) ->
      let (c : i64) = a + b
      in (c)) (0) do
      let (x : i64) = xs[i, j]
      let (y : i64) = x * k
      in (y)
    in (t)
  in (s)

-- A size, an operator's constant and a neutral element that every iteration computes alike.
entry invariant [n] [m] (xs : [n][m]i64) (k : i64) -> (r : [n]i64) =
  let (s : [n]i64) = kernel i < n do
    let (least : i64) = 0 - k
    let (top : i64) = k * 3
    let (t : i64) = kernel j < m reduce (\ (a : i64) (b : i64) ->
      let (c : i64) = max(a, b)
      let (d : i64) = min(c, top)
      in (d)) (least) do
      let (x : i64) = xs[i, j]
      in (x)
    in (t)
  in (s)

entry twice [m] (xs : [m]i64) (n : i64) -> (r : [n][m]i64) (q : [n][m]i64) =
  let (s : [n][m]i64) (t : [n][m]i64) = kernel i < n do
    let (a : [m]i64) = kernel j < m do
      let (x : i64) = xs[j]
      let (y : i64) = x + i
      in (y)
    in (a, a)

  in (s, t)
