-- What is read before an array is updated is read there, and not where it is needed: (N3).
entry read_before [n] (xs : [n]i64) (ys : [n]i64) -> (r : [n][n]i64) (last : [n][n]i64) =
  let (r_1 : [n][n]i64) (last_1 : [n][n]i64) =
    kernel i < n do
      let (z : i64) = xs[i]
      let (own : [n]i64) = copy ys
      let (before : i64) = own[0]
      let (row : [n]i64) = own with [0] = z
      let (sums : [n]i64) =
        kernel j < n do
          let (y : i64) = ys[j]
          let (s : i64) = y + before
          in (s)
      in (sums, row)
  in (r_1, last_1)
