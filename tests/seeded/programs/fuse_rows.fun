-- Without iterations nobody but the array's rows notices that m is negative.
entry main [n] (xs : [n]i64) (m : i64) -> (r : [n]i64) =
  let (as : [n][m]i64) (cs : [n]i64) = kernel i < n do
    let (row : [m]i64) = iota [m] i 1
    let (c : i64) = i * 2
    in (row, c)
  let (bs : [n]i64) = kernel j < n do
    let (y : i64) = cs[j]
    let (b : i64) = y + j
    in (b)
  in (bs)
