-- Two products of matrices with a common first one; the rows of the second ones are taken from the last to the first.
entry main [n] [m] [p] (as : [n][m]i64) (bs : [2][m][p]i64) -> (r : [2][n][p]i64) =
  let (back : [2][m][p]i64) = reverse 1 bs
  let (cs : [2][n][p]i64) =
    kernel h < 2, i < n, j < p do
      let (c : i64) =
        loop (acc : i64) = 0 for k < m do
          let (a : i64) = as[i, k]
          let (b : i64) = back[h, k, j]
          let (ab : i64) = a * b
          let (sum : i64) = acc + ab
          in (sum)
      in (c)
  in (cs)
