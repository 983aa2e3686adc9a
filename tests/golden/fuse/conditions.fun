entry c1_yes [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + j
      in (v)
  in (zs)

entry c1_no [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (w : i64) = ys[-j + n - 1]
      let (v : i64) = u + w
      in (v)
  in (zs)

entry c2_yes [n] [m] (xs : [n][m]i64) -> (r : [n][m]i64) =
  let (ys : [n][m]i64) =
    kernel i < n do
      let (row : [m]i64) = xs[i, m - 1 : m : -1]
      in (row)
  let (zs : [n][m]i64) =
    kernel j < n do
      let (u : [m]i64) = ys[j, 0 : m]
      in (u)
  in (zs)

entry c2_no [n] [m] (xs : [n][m]i64) -> (r : [n][m][n]i64) =
  let (ys : [n][m]i64) =
    kernel i < n do
      let (row : [m]i64) = xs[i, m - 1 : m : -1]
      in (row)
  let (zs : [n][m][n]i64) =
    kernel j < n do
      let (u : [m][n]i64) = permute (1, 0) ys
      in (u)
  in (zs)

entry c3_yes [n] (xs : [n]i64) (is : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = 12 / x
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (w : i64) = 5 % u
      in (w)
  in (zs)

entry c3_no [n] (xs : [n]i64) (is : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = 12 / x
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (k : i64) = is[j]
      let (v : i64) = xs[k]
      let (w : i64) = u + v
      in (w)
  in (zs)

entry c4_yes [n] (xs : *[n]i64) (k : i64) -> (r : [n]i64) (q : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + j
      in (v)
  let (ws : [n]i64) = xs with [k] = 7
  in (zs, ws)

entry c4_no [n] (xs : *[n]i64) (k : i64) -> (r : [n]i64) (q : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (ws : [n]i64) = xs with [k] = 7
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + j
      in (v)
  in (zs, ws)

entry c5_yes [n] (xs : [n]i64) -> (r : [n]i64) (q : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + j
      in (v)
  in (zs, ys)

entry c5_no [n] (xs : [n]i64) -> (r : i64) (q : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (s : i64) =
    kernel j < n reduce
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (u : i64) = ys[j]
      in (u)
  in (s, ys)

entry c6_yes [n] [m] (xs : [n][m]i64) -> (r : [n]i64) =
  let (ys : [n][m]i64) =
    kernel i < n do
      let (row : [m]i64) = iota [m] i 1
      in (row)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j, 0]
      let (v : i64) = u + j
      in (v)
  in (zs)

entry c6_no [n] (xs : [n]i64) (m : i64) -> (r : [n]i64) =
  let (ys : [n][m]i64) =
    kernel i < n do
      let (row : [m]i64) = iota [m] i 1
      in (row)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j, 0]
      let (v : i64) = u + j
      in (v)
  in (zs)

entry c6_dimension_no [n] (xs : [n]i64) (m : i64) -> (r : [n]i64) =
  let (ys : [n][m]i64) =
    kernel i < n, k < m do
      let (x : i64) = i + k
      in (x)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j, 0]
      let (v : i64) = u + j
      in (v)
  in (zs)

entry c7_yes [n] [m] (xs : [n][m]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (s : i64) =
        kernel k < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (x : i64) = xs[i, k]
          in (x)
      in (s)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + j
      in (v)
  in (zs)

entry c7_no [n] [m] (xs : [n][m]i64) -> (r : i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (s : i64) =
        kernel k < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (x : i64) = xs[i, k]
          in (x)
      in (s)
  let (z : i64) =
    kernel j < n reduce
      (\(d : i64) (e : i64) ->
        let (f : i64) = max(d, e)
        in (f)) (0)
    do
      let (u : i64) = ys[j]
      in (u)
  in (z)

entry c8_yes [n] (xs : [n]i64) -> (r : i64) (q : i64) =
  let (s : i64) =
    kernel i < n reduce
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (x : i64) = xs[i]
      in (x)
  let (mean : i64) = s * n
  let (z : i64) =
    kernel j < n reduce
      (\(d : i64) (e : i64) ->
        let (f : i64) = max(d, e)
        in (f)) (0)
    do
      let (u : i64) = xs[j]
      in (u)
  in (mean, z)

entry c8_no [n] (xs : [n]i64) -> (r : i64) (q : i64) =
  let (s : i64) =
    kernel i < n reduce
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (x : i64) = xs[i]
      in (x)
  let (mean : i64) = s * n
  let (z : i64) =
    kernel j < n reduce
      (\(d : i64) (e : i64) ->
        let (f : i64) = max(d, e)
        in (f)) (0)
    do
      let (u : i64) = xs[j]
      let (v : i64) = u - mean
      in (v)
  in (s, z)

entry c10_yes [n] (xs : [n]i64) -> (r : [n]i64) (q : [n]i64) =
  let (a1 : [n]i64) (a2 : [n]i64) (a3 : [n]i64) (a4 : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x + 1
      let (z : i64) = x + 2
      let (w : i64) = x + 3
      in (x, y, z, w)
  let (b1 : [n]i64) (b2 : [n]i64) (b3 : [n]i64) (b4 : [n]i64) =
    kernel j < n do
      let (p : i64) = xs[j]
      let (o : i64) = p * 2
      let (s : i64) = p * 3
      let (t : i64) = p * 4
      in (p, o, s, t)
  in (a4, b4)

entry c10_no [n] (xs : [n]i64) -> (r : [n]i64) (q : [n]i64) =
  let (a1 : [n]i64) (a2 : [n]i64) (a3 : [n]i64) (a4 : [n]i64) (a5 : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x + 1
      let (z : i64) = x + 2
      let (w : i64) = x + 3
      in (x, y, z, w, x)
  let (b1 : [n]i64) (b2 : [n]i64) (b3 : [n]i64) (b4 : [n]i64) =
    kernel j < n do
      let (p : i64) = xs[j]
      let (o : i64) = p * 2
      let (s : i64) = p * 3
      let (t : i64) = p * 4
      in (p, o, s, t)
  in (a4, b4)

entry c1_no_several [n] [m] (xs : [n]i64) (us : [m]i64) -> (r : [n][m]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n][m]i64) =
    kernel j < n, k < m do
      let (u : i64) = ys[j]
      let (v : i64) = u + k
      in (v)
  in (zs)

entry c2_no_operator [n] (xs : [n]i64) -> (r : i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (s : i64) =
    kernel j < n reduce
      (\(a : i64) (b : i64) ->
        let (most : i64) = ys[0]
        let (c : i64) = a + b
        let (d : i64) = min(c, most)
        in (d)) (0)
    do
      let (u : i64) = ys[j]
      in (u)
  in (s)

entry c3_no_between [n] (xs : [n]i64) (k : i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = 12 / x
      in (y)
  let (one : i64) = xs[k]
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + one
      in (v)
  in (zs)

entry c4_yes_other [n] (xs : *[n]i64) (us : *[n]i64) (k : i64)
    -> (r : [n]i64) (q : [n]i64) (p : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (us1 : [n]i64) = us with [k] = 5
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + j
      in (v)
  let (ws : [n]i64) = xs with [k] = 7
  in (zs, ws, us1)

entry c4_yes_loop [n] (xs : *[n]i64) (k : i64) -> (r : [n]i64) (q : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (same : [n]i64) (sum : i64) =
    loop (a : [n]i64) = xs, (b : i64) = 0 for t < n do
      let (e : i64) = a[t]
      let (c : i64) = b + e
      in (a, c)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + sum
      in (v)
  let (ws : [n]i64) = xs with [k] = 7
  in (zs, ws)

entry c4_no_loop [n] (xs : *[n]i64) -> (r : [n]i64) (q : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (ws : [n]i64) =
    loop (a : *[n]i64) = xs for t < n do
      let (b : [n]i64) = a with [t] = t
      in (b)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + j
      in (v)
  in (zs, ws)

entry c5_no_backwards [n] (xs : [n]i64) -> (r : [n]i64) (q : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[-j + n - 1]
      let (v : i64) = u + j
      in (v)
  in (zs, ys)

entry c5_no_rows [n] [m] (xs : [n][m]i64) -> (r : [n]i64) (q : [n][m]i64) =
  let (ys : [n][m]i64) =
    kernel i < n, k < m do
      let (x : i64) = xs[i, k]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (s : i64) =
        loop (a : i64) = 0 for t < m do
          let (u : i64) = ys[j, t]
          let (v : i64) = a + u
          in (v)
      in (s)
  in (zs, ys)

entry c7_yes_rows [n] [m] (xs : [n][m]i64) -> (r : [n][m]i64) =
  let (ys : [n][m]i64) =
    kernel i < n, j < m do
      let (x : i64) = xs[i, j]
      let (y : i64) =
        loop (a : i64) = x for t < j do
          let (b : i64) = a * 3
          in (b)
      in (y)
  let (zs : [n][m]i64) =
    kernel k < n, l < m scan
      (\(c : i64) (d : i64) ->
        let (e : i64) = c + d
        in (e)) (0)
    do
      let (u : i64) = ys[k, l]
      in (u)
  in (zs)

entry c7_no_twice [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) =
        loop (a : i64) = x for t < i do
          let (b : i64) = a * 3
          in (b)
      in (y)
  let (zs : [n]i64) =
    kernel l < n scan
      (\(c : i64) (d : i64) ->
        let (e : i64) = c + d
        in (e)) (0)
    do
      let (u : i64) = ys[l]
      in (u)
  in (zs)

entry c1_yes_wrapped [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (far : i64) = j + 9223372036854775807
      let (back : i64) = far - 9223372036854775807
      let (u : i64) = ys[back]
      let (next : i64) = j + 1
      let (w : i64) = ys[next - 1]
      let (v : i64) = u + w
      in (v)
  in (zs)

entry c1_no_far [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (far : i64) = j + 9223372036854775807
      let (u : i64) = ys[far - 9223372036854775807]
      in (u)
  in (zs)

entry c1_no_names [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (far : i64) = j * 4611686018427387904
      let (u : i64) = ys[far - 4611686018427387903*j]
      in (u)
  in (zs)

entry c3_no_up [n] (xs : [n]i64) (m : i64) -> [mm] (r : [n]i64) (q : [mm]i64) (p : [n][mm]i64) =
  let (as : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (a : i64) = 10 / x
      in (a)
  let (bs : [n]i64) = reverse 0 as
  let (cs : [m]i64) = iota [m] 0 1
  let (ds : [n][m]i64) =
    kernel j < n do
      let (y : i64) = xs[j]
      let (row : [m]i64) = iota [m] y 1
      in (row)
  in (m, bs, cs, ds)

entry c3_yes_written [n] (xs : [n]i64) (d : *[4]i64) -> (r : [n]i64) (q : [4]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = 12 / x
      in (y)
  let (h : [4]i64) = iota [4] 1 1
  let (ws : [4]i64) = scatter d h h
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + j
      in (v)
  in (zs, ws)

entry c3_no_scattered [n] (xs : [n]i64) (d : *[4]i64) -> (r : [n]i64) (q : [4]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = 12 / x
      in (y)
  let (h : [4]i64) = scratch [4]i64
  let (is : [4]i64) = iota [4] 0 1
  let (ws : [4]i64) = scatter d h is
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + j
      in (v)
  in (zs, ws)

entry c3_no_buckets [n] (xs : [n]i64) -> (r : [n]i64) (q : [4]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = 12 / x
      in (y)
  let (h : [4]i64) = scratch [4]i64
  let (ws : [4]i64) =
    kernel k < n hist (h)
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (e : i64) = xs[k]
      in (e, 1)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + j
      in (v)
  in (zs, ws)

entry c6_yes_kept [n] (xs : [n]i64) (m : i64) -> [mm] (r : [n][mm]i64) (q : [n]i64) =
  let (as : [n][m]i64) (bs : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (row : [m]i64) = iota [m] x 1
      let (y : i64) = x * 3
      in (row, y)
  let (cs : [n]i64) =
    kernel j < n do
      let (b : i64) = bs[j]
      let (z : i64) = b + 1
      in (z)
  in (m, as, cs)

-- fuse,simplify -->

entry c1_yes [n] (xs : [n]i64) -> (r : [n]i64) =
  let (zs : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      let (v : i64) = y + i
      in (v)
  in (zs)

entry c1_no [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (w : i64) = ys[-j + n - 1]
      let (v : i64) = u + w
      in (v)
  in (zs)

entry c2_yes [n] [m] (xs : [n][m]i64) -> (r : [n][m]i64) =
  let (zs : [n][m]i64) =
    kernel i < n do
      let (row : [m]i64) = xs[i, m - 1 : m : -1]
      in (row)
  in (zs)

entry c2_no [n] [m] (xs : [n][m]i64) -> (r : [n][m][n]i64) =
  let (ys : [n][m]i64) =
    kernel i < n do
      let (row : [m]i64) = xs[i, m - 1 : m : -1]
      in (row)
  let (zs : [n][m][n]i64) =
    kernel j < n do
      let (u : [m][n]i64) = permute (1, 0) ys
      in (u)
  in (zs)

entry c3_yes [n] (xs : [n]i64) (is : [n]i64) -> (r : [n]i64) =
  let (zs : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = 12 / x
      let (w : i64) = 5 % y
      in (w)
  in (zs)

entry c3_no [n] (xs : [n]i64) (is : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = 12 / x
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (k : i64) = is[j]
      let (v : i64) = xs[k]
      let (w : i64) = u + v
      in (w)
  in (zs)

entry c4_yes [n] (xs : *[n]i64) (k : i64) -> (r : [n]i64) (q : [n]i64) =
  let (zs : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      let (v : i64) = y + i
      in (v)
  let (ws : [n]i64) = xs with [k] = 7
  in (zs, ws)

entry c4_no [n] (xs : *[n]i64) (k : i64) -> (r : [n]i64) (q : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (ws : [n]i64) = xs with [k] = 7
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + j
      in (v)
  in (zs, ws)

entry c5_yes [n] (xs : [n]i64) -> (r : [n]i64) (q : [n]i64) =
  let (zs : [n]i64) (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      let (v : i64) = y + i
      in (v, y)
  in (zs, ys)

entry c5_no [n] (xs : [n]i64) -> (r : i64) (q : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (s : i64) =
    kernel j < n reduce
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (u : i64) = ys[j]
      in (u)
  in (s, ys)

entry c6_yes [n] [m] (xs : [n][m]i64) -> (r : [n]i64) =
  let (zs : [n]i64) =
    kernel i < n do
      let (row : [m]i64) = iota [m] i 1
      let (u : i64) = row[0]
      let (v : i64) = u + i
      in (v)
  in (zs)

entry c6_no [n] (xs : [n]i64) (m : i64) -> (r : [n]i64) =
  let (ys : [n][m]i64) =
    kernel i < n do
      let (row : [m]i64) = iota [m] i 1
      in (row)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j, 0]
      let (v : i64) = u + j
      in (v)
  in (zs)

entry c6_dimension_no [n] (xs : [n]i64) (m : i64) -> (r : [n]i64) =
  let (ys : [n][m]i64) =
    kernel i < n, k < m do
      let (x : i64) = i + k
      in (x)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j, 0]
      let (v : i64) = u + j
      in (v)
  in (zs)

entry c7_yes [n] [m] (xs : [n][m]i64) -> (r : [n]i64) =
  let (zs : [n]i64) =
    kernel i < n do
      let (s : i64) =
        kernel k < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (x : i64) = xs[i, k]
          in (x)
      let (v : i64) = s + i
      in (v)
  in (zs)

entry c7_no [n] [m] (xs : [n][m]i64) -> (r : i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (s : i64) =
        kernel k < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (x : i64) = xs[i, k]
          in (x)
      in (s)
  let (z : i64) =
    kernel j < n reduce
      (\(d : i64) (e : i64) ->
        let (f : i64) = max(d, e)
        in (f)) (0)
    do
      let (u : i64) = ys[j]
      in (u)
  in (z)

entry c8_yes [n] (xs : [n]i64) -> (r : i64) (q : i64) =
  let (s : i64) (z : i64) =
    kernel i < n reduce
      (\(a : i64) (d : i64) (b : i64) (e : i64) ->
        let (c : i64) = a + b
        let (f : i64) = max(d, e)
        in (c, f)) (0, 0)
    do
      let (x : i64) = xs[i]
      in (x, x)
  let (mean : i64) = s * n
  in (mean, z)

entry c8_no [n] (xs : [n]i64) -> (r : i64) (q : i64) =
  let (s : i64) =
    kernel i < n reduce
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (x : i64) = xs[i]
      in (x)
  let (mean : i64) = s * n
  let (z : i64) =
    kernel j < n reduce
      (\(d : i64) (e : i64) ->
        let (f : i64) = max(d, e)
        in (f)) (0)
    do
      let (u : i64) = xs[j]
      let (v : i64) = u - mean
      in (v)
  in (s, z)

entry c10_yes [n] (xs : [n]i64) -> (r : [n]i64) (q : [n]i64) =
  let (a4 : [n]i64) (b4 : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (w : i64) = x + 3
      let (t : i64) = x * 4
      in (w, t)
  in (a4, b4)

entry c10_no [n] (xs : [n]i64) -> (r : [n]i64) (q : [n]i64) =
  let (a4 : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (w : i64) = x + 3
      in (w)
  let (b4 : [n]i64) =
    kernel j < n do
      let (p : i64) = xs[j]
      let (t : i64) = p * 4
      in (t)
  in (a4, b4)

entry c1_no_several [n] [m] (xs : [n]i64) (us : [m]i64) -> (r : [n][m]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n][m]i64) =
    kernel j < n, k < m do
      let (u : i64) = ys[j]
      let (v : i64) = u + k
      in (v)
  in (zs)

entry c2_no_operator [n] (xs : [n]i64) -> (r : i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (s : i64) =
    kernel j < n reduce
      (\(a : i64) (b : i64) ->
        let (most : i64) = ys[0]
        let (c : i64) = a + b
        let (d : i64) = min(c, most)
        in (d)) (0)
    do
      let (u : i64) = ys[j]
      in (u)
  in (s)

entry c3_no_between [n] (xs : [n]i64) (k : i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = 12 / x
      in (y)
  let (one : i64) = xs[k]
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + one
      in (v)
  in (zs)

entry c4_yes_other [n] (xs : *[n]i64) (us : *[n]i64) (k : i64)
    -> (r : [n]i64) (q : [n]i64) (p : [n]i64) =
  let (us1 : [n]i64) = us with [k] = 5
  let (zs : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      let (v : i64) = y + i
      in (v)
  let (ws : [n]i64) = xs with [k] = 7
  in (zs, ws, us1)

entry c4_yes_loop [n] (xs : *[n]i64) (k : i64) -> (r : [n]i64) (q : [n]i64) =
  let (sum : i64) =
    loop (b : i64) = 0 for t < n do
      let (e : i64) = xs[t]
      let (c : i64) = b + e
      in (c)
  let (zs : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      let (v : i64) = y + sum
      in (v)
  let (ws : [n]i64) = xs with [k] = 7
  in (zs, ws)

entry c4_no_loop [n] (xs : *[n]i64) -> (r : [n]i64) (q : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (ws : [n]i64) =
    loop (a : *[n]i64) = xs for t < n do
      let (b : [n]i64) = a with [t] = t
      in (b)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + j
      in (v)
  in (zs, ws)

entry c5_no_backwards [n] (xs : [n]i64) -> (r : [n]i64) (q : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[-j + n - 1]
      let (v : i64) = u + j
      in (v)
  in (zs, ys)

entry c5_no_rows [n] [m] (xs : [n][m]i64) -> (r : [n]i64) (q : [n][m]i64) =
  let (ys : [n][m]i64) =
    kernel i < n, k < m do
      let (x : i64) = xs[i, k]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (s : i64) =
        loop (a : i64) = 0 for t < m do
          let (u : i64) = ys[j, t]
          let (v : i64) = a + u
          in (v)
      in (s)
  in (zs, ys)

entry c7_yes_rows [n] [m] (xs : [n][m]i64) -> (r : [n][m]i64) =
  let (zs : [n][m]i64) =
    kernel i < n, j < m scan
      (\(c : i64) (d : i64) ->
        let (e : i64) = c + d
        in (e)) (0)
    do
      let (x : i64) = xs[i, j]
      let (y : i64) =
        loop (a : i64) = x for t < j do
          let (b : i64) = a * 3
          in (b)
      in (y)
  in (zs)

entry c7_no_twice [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) =
        loop (a : i64) = x for t < i do
          let (b : i64) = a * 3
          in (b)
      in (y)
  let (zs : [n]i64) =
    kernel l < n scan
      (\(c : i64) (d : i64) ->
        let (e : i64) = c + d
        in (e)) (0)
    do
      let (u : i64) = ys[l]
      in (u)
  in (zs)

entry c1_yes_wrapped [n] (xs : [n]i64) -> (r : [n]i64) =
  let (zs : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      let (v : i64) = y + y
      in (v)
  in (zs)

entry c1_no_far [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (far : i64) = j + 9223372036854775807
      let (u : i64) = ys[far - 9223372036854775807]
      in (u)
  in (zs)

entry c1_no_names [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = x * 2
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (far : i64) = j * 4611686018427387904
      let (u : i64) = ys[far - 4611686018427387903*j]
      in (u)
  in (zs)

entry c3_no_up [n] (xs : [n]i64) (m : i64) -> [mm] (r : [n]i64) (q : [mm]i64) (p : [n][mm]i64) =
  let (as : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (a : i64) = 10 / x
      in (a)
  let (bs : [n]i64) = reverse 0 as
  let (cs : [m]i64) = iota [m] 0 1
  let (ds : [n][m]i64) =
    kernel j < n do
      let (y : i64) = xs[j]
      let (row : [m]i64) = iota [m] y 1
      in (row)
  in (m, bs, cs, ds)

entry c3_yes_written [n] (xs : [n]i64) (d : *[4]i64) -> (r : [n]i64) (q : [4]i64) =
  let (h : [4]i64) = iota [4] 1 1
  let (ws : [4]i64) = scatter d h h
  let (zs : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = 12 / x
      let (v : i64) = y + i
      in (v)
  in (zs, ws)

entry c3_no_scattered [n] (xs : [n]i64) (d : *[4]i64) -> (r : [n]i64) (q : [4]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = 12 / x
      in (y)
  let (h : [4]i64) = scratch [4]i64
  let (is : [4]i64) = iota [4] 0 1
  let (ws : [4]i64) = scatter d h is
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + j
      in (v)
  in (zs, ws)

entry c3_no_buckets [n] (xs : [n]i64) -> (r : [n]i64) (q : [4]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = 12 / x
      in (y)
  let (h : [4]i64) = scratch [4]i64
  let (ws : [4]i64) =
    kernel k < n hist (h)
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (e : i64) = xs[k]
      in (e, 1)
  let (zs : [n]i64) =
    kernel j < n do
      let (u : i64) = ys[j]
      let (v : i64) = u + j
      in (v)
  in (zs, ws)

entry c6_yes_kept [n] (xs : [n]i64) (m : i64) -> [mm] (r : [n][mm]i64) (q : [n]i64) =
  let (cs : [n]i64) (as : [n][m]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (row : [m]i64) = iota [m] x 1
      let (y : i64) = x * 3
      let (z : i64) = y + 1
      in (z, row)
  in (m, as, cs)
-- fuse: ys (conditions.fun:14:3): (1) iteration i reads element i and no other: several elements are read in one iteration
-- fuse: ys (conditions.fun:35:3): (2) the consumer only reads elements or rows of the array: permute uses a whole array
-- fuse: ys (conditions.fun:55:3): (3) the first trap stays the first: the producer and the consumer may raise different traps
-- fuse: ys (conditions.fun:55:3): (8) neither uses the other, and one of them can move to the other: the second reads a result of the first
-- fuse: ys (conditions.fun:80:3): (4) the producer's operands are not consumed before the consumer: xs is consumed, and the producer reads it
-- fuse: ys (conditions.fun:103:3): (5) the array has no other uses, or the consumer can make it as well: the array has other uses, and the consumer is not a map
-- fuse: ys (conditions.fun:125:3): (6) rows of a negative size still trap: size m may be negative
-- fuse: ys (conditions.fun:135:3): (6) rows of a negative size still trap: size m may be negative
-- fuse: ys (conditions.fun:159:3): (7) no parallelism is lost, and no work is duplicated: the producer contains kernels, and the consumer is a collective
-- fuse: s (conditions.fun:188:3): (8) neither uses the other, and one of them can move to the other: a statement between uses the first, and the second uses it
-- fuse: a1 a2 a3 a4 a5 (conditions.fun:218:3): (10) the kernel has few results: the fused kernel would have 9 results
-- fuse: ys (conditions.fun:233:3): (1) iteration i reads element i and no other: the consumer reads an element in several iterations
-- fuse: ys (conditions.fun:244:3): (2) the consumer only reads elements or rows of the array: its operator, neutral element or destination is the array
-- fuse: ys (conditions.fun:258:3): (3) the first trap stays the first: the producer and a statement between may raise different traps
-- fuse: ys (conditions.fun:301:3): (4) the producer's operands are not consumed before the consumer: xs is consumed, and the producer reads it
-- fuse: ys (conditions.fun:315:3): (5) the array has no other uses, or the consumer can make it as well: the array has other uses, and the consumer reads it permuted
-- fuse: ys (conditions.fun:326:3): (5) the array has no other uses, or the consumer can make it as well: the array has other uses, and the consumer reads it permuted
-- fuse: ys (conditions.fun:354:3): (7) no parallelism is lost, and no work is duplicated: the scan would run the producer's loop twice
-- fuse: ys (conditions.fun:384:3): (1) iteration i reads element i and no other: element far - 9223372036854775807 of n is read
-- fuse: ys (conditions.fun:395:3): (1) iteration i reads element i and no other: element far - 4611686018427387903*j of n is read
-- fuse: as (conditions.fun:409:3): (3) the first trap stays the first: the two may raise different traps
-- fuse: ys (conditions.fun:436:3): (3) the first trap stays the first: the producer and a statement between may raise different traps
-- fuse: ys (conditions.fun:450:3): (3) the first trap stays the first: the producer and a statement between may raise different traps
-- simplify: far (conditions.fun:389:5): (2) a name in a size equals its polynomial: j + 9223372036854775807 may exceed i64: sizes are exact, and arithmetic wraps around
-- simplify: far (conditions.fun:400:5): (2) a name in a size equals its polynomial: 4611686018427387904*j may exceed i64: sizes are exact, and arithmetic wraps around
