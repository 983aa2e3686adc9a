-- Kernels over arrays with outer dimensions whose threads compute sizes: reduce, scan and hist of
-- rows, and a mapped result beside them.
entry main [n] [m] [k] (xs : [n][m]i64) (h : *[n][2][k]i64)
    -> (r : [n][k]i64) (t : [n][m]i64) (s : [n][m][k]i64) (c : [n][2][k]i64) =
  let (zeros : [k]i64) = replicate [k] 0
  let (rows : [n][k]i64) (tops : [n][m]i64) =
    kernel i1 < n, j1 < m reduce (\ (x1 : [k]i64) (y1 : [k]i64) ->
      let (z1 : [k]i64) = kernel l1 < k do
        let (u1 : i64) = x1[l1]
        let (v1 : i64) = y1[l1]
        let (w1 : i64) = u1 + v1
        in (w1)
      in (z1)) (zeros) do
      let (e1 : i64) = xs[i1, j1]
      let (two1 : [2]i64) = [e1, e1] : i64
      let (len1 : i64) = two1[0]
      let (a1 : [len1 + 1]i64) = iota [len1 + 1] j1 1
      let (top : i64) = a1[len1]
      let (row1 : [k]i64) = replicate [k] top
      in (row1, top)
  let (sums : [n][m][k]i64) = kernel i2 < n, j2 < m scan (\ (x2 : [k]i64) (y2 : [k]i64) ->
      let (z2 : [k]i64) = kernel l2 < k do
        let (u2 : i64) = x2[l2]
        let (v2 : i64) = y2[l2]
        let (w2 : i64) = u2 + v2
        in (w2)
      in (z2)) (zeros) do
    let (e2 : i64) = xs[i2, j2]
    let (two2 : [2]i64) = [e2, e2] : i64
    let (len2 : i64) = two2[0]
    let (a2 : [len2 + 1]i64) = iota [len2 + 1] j2 1
    let (f2 : i64) = a2[len2]
    let (row2 : [k]i64) = iota [k] f2 1
    in (row2)
  let (counts : [n][2][k]i64) = kernel i3 < n, j3 < m hist (h) (\ (x3 : [k]i64) (y3 : [k]i64) ->
      let (z3 : [k]i64) = kernel l3 < k do
        let (u3 : i64) = x3[l3]
        let (v3 : i64) = y3[l3]
        let (w3 : i64) = u3 + v3
        in (w3)
      in (z3)) (zeros) do
    let (e3 : i64) = xs[i3, j3]
    let (two3 : [2]i64) = [e3, e3] : i64
    let (len3 : i64) = two3[0]
    let (a3 : [len3 + 1]i64) = iota [len3 + 1] j3 1
    let (f3 : i64) = a3[len3]
    let (row3 : [k]i64) = iota [k] f3 1
    in (e3, row3)
  in (rows, tops, sums, counts)
