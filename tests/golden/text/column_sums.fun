entry main [n] [m] (a : [n][m]i32) -> (sums : [m]i32) =
  let (zeros : [m]i32) = replicate [m] 0i32
  let (total : [m]i32) =
    kernel i < n reduce comm
      (\(x : [m]i32) (y : [m]i32) ->
        let (xy : [m]i32) =
          kernel j < m do
            let (u : i32) = x[j]
            let (v : i32) = y[j]
            let (w : i32) = u + v
            in (w)
        in (xy)) (zeros)
    do
      let (row : [m]i32) = a[i, 0 : m]
      in (row)
  in (total)
