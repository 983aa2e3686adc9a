entry matmul [n] [m] [k] (a : [n][k]f32) (b : [k][m]f32) -> (c : [n][m]f32) =
  let (r : [n][m]f32) =
    kernel i < n do
      let (row : [k]f32) = a[i, 0 : k]
      let (s : [m]f32) =
        kernel j < m do
          let (col : [k]f32) = b[0 : k, j]
          let (dot : f32) =
            kernel l < k reduce comm
              (\(x : f32) (y : f32) ->
                let (z : f32) = x + y
                in (z)) (0.0f32)
            do
              let (u : f32) = row[l]
              let (v : f32) = col[l]
              let (w : f32) = u * v
              in (w)
          in (dot)
      in (s)
  in (r)

entry scalars [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n][m]f32) (q : [n][m]f32) =
  let (s : [n][m]f32) (t : [n][m]f32) =
    kernel i < n do
      let (x : f32) = xs[i]
      let (x2 : f32) = x * x
      let (a : [m]f32) (b : [m]f32) =
        kernel j < m do
          let (y : f32) = ys[j]
          let (z : f32) = x2 + y
          let (w : f32) = x2 - y
          in (z, w)
      in (b, a)
  in (s, t)

entry segmented [n] [m] (xs : [n][m]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) =
    kernel i < n do
      let (row : [m]i64) = xs[i, m - 1 : m : -1]
      let (t : [m]i64) =
        kernel j < m scan
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            let (d : i64) = max(c, i)
            in (d)) (0)
        do
          let (x : i64) = row[j]
          in (x)
      in (t)
  in (s)

entry once [n] [m] (xs : [n][m]i64) (ks : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (k : i64) = ks[i]
      let (t : i64) =
        kernel j < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (x : i64) = xs[i, j]
          let (y : i64) = x * k
          in (y)
      in (t)
  in (s)

entry invariant [n] [m] (xs : [n][m]i64) (k : i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (least : i64) = 0 - k
      let (top : i64) = k * 3
      let (t : i64) =
        kernel j < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = max(a, b)
            let (d : i64) = min(c, top)
            in (d)) (least)
        do
          let (x : i64) = xs[i, j]
          in (x)
      in (t)
  in (s)

entry twice [m] (xs : [m]i64) (n : i64) -> (r : [n][m]i64) (q : [n][m]i64) =
  let (s : [n][m]i64) (t : [n][m]i64) =
    kernel i < n do
      let (a : [m]i64) =
        kernel j < m do
          let (x : i64) = xs[j]
          let (y : i64) = x + i
          in (y)
      in (a, a)
  in (s, t)

-- nest,simplify -->

entry matmul [n] [m] [k] (a : [n][k]f32) (b : [k][m]f32) -> (c : [n][m]f32) =
  let (r : [n][m]f32) =
    kernel i < n, j < m, l < k reduce comm
      (\(x : f32) (y : f32) ->
        let (z : f32) = x + y
        in (z)) (0.0f32)
    do
      let (row : [k]f32) = a[i, 0 : k]
      let (col : [k]f32) = b[0 : k, j]
      let (u : f32) = row[l]
      let (v : f32) = col[l]
      let (w : f32) = u * v
      in (w)
  in (r)

entry scalars [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n][m]f32) (q : [n][m]f32) =
  let (t : [n][m]f32) (s : [n][m]f32) =
    kernel i < n, j < m do
      let (x : f32) = xs[i]
      let (x2 : f32) = x * x
      let (y : f32) = ys[j]
      let (z : f32) = x2 + y
      let (w : f32) = x2 - y
      in (z, w)
  in (s, t)

entry segmented [n] [m] (xs : [n][m]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) =
    kernel i < n, j < m scan
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        let (d : i64) = max(c, i)
        in (d)) (0)
    do
      let (row : [m]i64) = xs[i, m - 1 : m : -1]
      let (x : i64) = row[j]
      in (x)
  in (s)

entry once [n] [m] (xs : [n][m]i64) (ks : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (k : i64) = ks[i]
      let (t : i64) =
        kernel j < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (x : i64) = xs[i, j]
          let (y : i64) = x * k
          in (y)
      in (t)
  in (s)

entry invariant [n] [m] (xs : [n][m]i64) (k : i64) -> (r : [n]i64) =
  let (least : i64) = 0 - k
  let (top : i64) = k * 3
  let (s : [n]i64) =
    kernel i < n, j < m reduce
      (\(a : i64) (b : i64) ->
        let (c : i64) = max(a, b)
        let (d : i64) = min(c, top)
        in (d)) (least)
    do
      let (x : i64) = xs[i, j]
      in (x)
  in (s)

entry twice [m] (xs : [m]i64) (n : i64) -> (r : [n][m]i64) (q : [n][m]i64) =
  let (s : [n][m]i64) =
    kernel i < n, j < m do
      let (x : i64) = xs[j]
      let (y : i64) = x + i
      in (y)
  in (s, s)
-- nest: s (perfect.fun:44:3): (1) the body is one kernel, after cheap statements that cannot trap: 1 operations would be repeated
-- nest: s (perfect.fun:44:3): (8) the body contains a map over more than a few iterations: no part of the body is a map
