-- An operator on arrays allocates: one block for each outer index, none shared between them.
entry main [n] [m] [k] (a : [n][m][k]i32) -> (r : [n][k]i32) (t : [k]i32) =
  let (zeros : [k]i32) = replicate [k] 0i32
  let (sums : [n][k]i32) = kernel i < n, j < m reduce (\ (x : [k]i32) (y : [k]i32) ->
    let (xy : [k]i32) = kernel l < k do
      let (u : i32) = x[l]
      let (v : i32) = y[l]
      let (w : i32) = u + v
      in (w)
    in (xy)) (zeros) do
    let (row : [k]i32) = a[i, j, 0 : k]
    let (own : [k]i32) = reverse 0 row
    in (own)
  let (total : [k]i32) = kernel i2 < n reduce (\ (x2 : [k]i32) (y2 : [k]i32) ->
    let (xy2 : [k]i32) = kernel l2 < k do
      let (u2 : i32) = x2[l2]
      let (v2 : i32) = y2[l2]
      let (w2 : i32) = u2 + v2
      in (w2)
    in (xy2)) (zeros) do
    let (row2 : [k]i32) = sums[i2, 0 : k]
    in (row2)
  in (sums, total)
