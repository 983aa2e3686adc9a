-- Sizes that the kernel itself computes in an array, in a kernel of every kind.
entry main [n] [b] (xs : [n]i64) (h : *[b]i64)
    -> (m : [n]i64) (r : i64) (s : [n]i64) (c : [b]i64) =
  let (mapped : [n]i64) = kernel i1 < n do
    let (x1 : i64) = xs[i1]
    let (two1 : [2]i64) = [x1, x1] : i64
    let (len1 : i64) = two1[1]
    let (a1 : [len1]i64) = iota [len1] i1 1
    let (y1 : i64) = kernel j1 < len1 reduce (\ (p1 : i64) (q1 : i64) ->
      let (pq1 : i64) = p1 + q1
      in (pq1)) (0) do
      let (e1 : i64) = a1[j1]
      in (e1)
    in (y1)
  let (reduced : i64) = kernel i2 < n reduce (\ (p2 : i64) (q2 : i64) ->
      let (pq2 : i64) = p2 + q2
      in (pq2)) (0) do
    let (x2 : i64) = xs[i2]
    let (two2 : [2]i64) = [x2, x2] : i64
    let (len2 : i64) = two2[0]
    let (a2 : [len2 + 1]i64) = iota [len2 + 1] i2 1
    let (y2 : i64) = a2[len2]
    in (y2)
  let (scanned : [n]i64) = kernel i3 < n scan (\ (p3 : i64) (q3 : i64) ->
      let (pq3 : i64) = p3 + q3
      in (pq3)) (0) do
    let (x3 : i64) = xs[i3]
    let (two3 : [2]i64) = [x3, x3] : i64
    let (len3 : i64) = two3[0]
    let (a3 : [len3 + 1]i64) = iota [len3 + 1] i3 1
    let (y3 : i64) = a3[len3]
    in (y3)
  let (counted : [b]i64) = kernel i4 < n hist (h) (\ (p4 : i64) (q4 : i64) ->
      let (pq4 : i64) = p4 + q4
      in (pq4)) (0) do
    let (x4 : i64) = xs[i4]
    let (two4 : [2]i64) = [x4, x4] : i64
    let (len4 : i64) = two4[0]
    let (a4 : [len4 + 1]i64) = iota [len4 + 1] i4 1
    let (y4 : i64) = a4[len4]
    in (x4, y4)
  in (mapped, reduced, scanned, counted)
