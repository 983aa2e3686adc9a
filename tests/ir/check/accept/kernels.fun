-- One construct, several collectives, any number of dimensions and results.
entry main [n] [m] (x : [n][m]f32) (h : *[n][8]i32) -> (sum : f32) (h1 : [n][8]i32) =
  let (doubled : [n][m]f32) (index : [n][m]i64) (rows : [n][m][3]f32) = kernel i < n, j < m do
    let (e : f32) = x[i, j]
    let (d : f32) = e + e
    let (row : [3]f32) = replicate [3] e
    in (d, j, row)
  let (sums : [n]f32) (kept : [n][m]f32) = kernel i1 < n, j1 < m reduce comm
    (\ (a : f32) (b : f32) ->
      let (c : f32) = a + b
      in (c)) (0.0f32) do
    let (e1 : f32) = x[i1, j1]
    in (e1, e1)
  let (total : f32) = kernel i2 < n reduce (\ (a2 : f32) (b2 : f32) ->
    let (c2 : f32) = a2 + b2
    in (c2)) (0.0f32) do
    let (e2 : f32) = sums[i2]
    in (e2)
  let (best : f32) (at : i64) = kernel i3 < n reduce
    (\ (a3 : f32) (ai : i64) (b3 : f32) (bi : i64) ->
      let (less : bool) = a3 < b3
      let (c3 : f32) (ci : i64) = if less then in (b3, bi) else in (a3, ai)
      in (c3, ci)) (-f32.inf, -1) do
    let (e3 : f32) = sums[i3]
    in (e3, i3)
  let (zero : [2]f32) = replicate [2] 0.0f32
  let (pair : [2]f32) = kernel i4 < n reduce (\ (a4 : [2]f32) (b4 : [2]f32) ->
    let (c4 : [2]f32) = kernel l < 2 do
      let (p : f32) = a4[l]
      let (q : f32) = b4[l]
      let (s : f32) = p + q
      in (s)
    in (c4)) (zero) do
    let (e4 : [2]f32) = x[i4, 0 : 2]
    in (e4)
  let (prefix : [n][m]f32) = kernel i5 < n, j5 < m scan (\ (a5 : f32) (b5 : f32) ->
    let (f5 : f32) = x[i5, 0]
    let (c5 : f32) = a5 + b5
    in (c5)) (0.0f32) do
    let (e5 : f32) = x[i5, j5]
    in (e5)
  let (counts : [n][8]i32) (bucket : [n][m]i64) = kernel i6 < n, j6 < m hist (h)
    (\ (a6 : i32) (b6 : i32) ->
      let (c6 : i32) = a6 + b6
      in (c6)) (0i32) do
    let (e6 : f32) = x[i6, j6]
    let (where : i64) = i64(e6)
    in (where, 1i32, where)
  in (total, counts)
