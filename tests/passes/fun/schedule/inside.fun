-- (S1) Inside a kernel there are threads already: its collectives become loops.
entry reduction [n] [m] (xs : [n][m]i32) -> (r : [n]i32) =
  let (s : [n]i32) = kernel i < n do
    let (t : i32) = kernel j < m reduce (\ (a : i32) (b : i32) ->
      let (c : i32) = a * 3i32 + b
      let (d : i32) = max(c, b)
      in (d)) (-2147483648i32) do
      let (x : i32) = xs[i, j]
      in (x)
    in (t)
  in (s)

-- The loop of a histogram's row is inside, its operator works on whole rows.
entry rows [n] [m] (xs : [n][m]i64) -> (r : [n][3][m]i64) =
  let (s : [n][3][m]i64) = kernel i < n do
    let (zeros : [m]i64) = replicate [m] 0
    let (h0 : [3][m]i64) = replicate [3] zeros
    let (h : [3][m]i64) = kernel j < m hist (h0) (\ (a : [m]i64) (b : [m]i64) ->
      let (c : [m]i64) = kernel l < m do
        let (u : i64) = a[l]
        let (v : i64) = b[l]
        let (w : i64) = u + v
        in (w)
      in (c)) (zeros) do
      let (x : i64) = xs[i, j]
      let (row : [m]i64) = xs[i, 0 : m]
      in (x, row)
    in (h)
  in (s)

-- An operator that contains a collective.
entry operator [n] [m] (xs : [n][m]i32) -> (r : [m]i32) =
  let (least : [m]i32) = replicate [m] -2147483648i32
  let (s : [m]i32) = kernel i < n reduce (\ (a : [m]i32) (b : [m]i32) ->
    let (both : [m]i32) = kernel j < m scan (\ (p : i32) (q : i32) ->
      let (t : i32) = max(p, q)
      in (t)) (-2147483648i32) do
      let (u : i32) = a[j]
      let (v : i32) = b[j]
      let (w : i32) = max(u, v)
      in (w)
    in (both)) (least) do
    let (row : [m]i32) = xs[i, 0 : m]
    in (row)
  in (s)
