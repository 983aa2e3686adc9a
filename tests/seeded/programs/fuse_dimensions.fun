-- Without outer iterations nobody but the array notices that its other dimension is negative.
entry main [n] (xs : [n]i64) (m : i64) -> (r : [n]i64) =
  let (as : [n][m]i64) = kernel i < n, k < m do
    let (x : i64) = i + k
    in (x)
  let (bs : [n]i64) = kernel j < n do
    let (y : i64) = as[j, 0]
    let (b : i64) = y + j
    in (b)
  in (bs)
