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

-- nest,simplify -->

entry read_before [n] (xs : [n]i64) (ys : [n]i64) -> (r : [n][n]i64) (last : [n][n]i64) =
  let (before_1 : [n]i64) (last_1 : [n][n]i64) =
    kernel i_1 < n do
      let (z_1 : i64) = xs[i_1]
      let (own : [n]i64) = copy ys
      let (before : i64) = own[0]
      let (row : [n]i64) = own with [0] = z_1
      in (before, row)
  let (r_1 : [n][n]i64) =
    kernel i_2 < n, j < n do
      let (before_2 : i64) = before_1[i_2]
      let (y : i64) = ys[j]
      let (s : i64) = y + before_2
      in (s)
  in (r_1, last_1)
-- simplify: own (read_before.fun:6:7): (3) merged arrays are not updated in place: own is updated in place
