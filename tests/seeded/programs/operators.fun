-- Each outer index adds up rows: the operator's parameters are arrays.
entry main [k] [n] [m] (a : [k][n][m]i32) -> (r : [k][m]i32) =
  let (zeros : [m]i32) = replicate [m] 0i32
  let (sums : [k][m]i32) = kernel h < k, i < n reduce (\ (x : [m]i32) (y : [m]i32) ->
    let (xy : [m]i32) = kernel j < m do
      let (u : i32) = x[j]
      let (v : i32) = y[j]
      let (w : i32) = u + v
      in (w)
    in (xy)) (zeros) do
    let (row : [m]i32) = a[h, i, 0 : m]
    in (row)
  in (sums)
