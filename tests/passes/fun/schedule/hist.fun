-- (S2) A histogram: one private histogram per thread, then one thread per bucket.
entry counts [n] [w] (h : *[w]i32) (xs : [n]i64) -> (r : [w]i32) =
  let (s : [w]i32) = kernel i < n hist (h) (\ (a : i32) (b : i32) ->
    let (c : i32) = a + b
    in (c)) (0i32) do
    let (x : i64) = xs[i]
    in (x, 1i32)
  in (s)

-- Two destinations at once; the neutral elements are not zero.
entry extremes [n] [w] (lo : *[w]i32) (hi : *[w]i32) (at : [n]i64) (xs : [n]i32)
  -> (r : [w]i32) (q : [w]i32) =
  let (s : [w]i32) (t : [w]i32) = kernel i < n hist (lo, hi)
    (\ (a1 : i32) (b1 : i32) (a2 : i32) (b2 : i32) ->
    let (c1 : i32) = min(a1, a2)
    let (c2 : i32) = max(b1, b2)
    in (c1, c2)) (2147483647i32, -2147483648i32) do
    let (k : i64) = at[i]
    let (x : i32) = xs[i]
    in (k, x, x)
  in (s, t)

-- Buckets that are rows.
entry rows [n] [m] [w] (h : *[w][m]i32) (at : [n]i64) (xs : [n][m]i32) -> (r : [w][m]i32) =
  let (zeros : [m]i32) = replicate [m] 0i32
  let (s : [w][m]i32) = kernel i < n hist (h) (\ (a : [m]i32) (b : [m]i32) ->
    let (c : [m]i32) = kernel j < m do
      let (u : i32) = a[j]
      let (v : i32) = b[j]
      let (x : i32) = u + v
      in (x)
    in (c)) (zeros) do
    let (k : i64) = at[i]
    let (row : [m]i32) = xs[i, 0 : m]
    in (k, row)
  in (s)
