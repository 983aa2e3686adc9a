-- (4) Rows from the diagonal on, and rows: what is along the diagonal moves in both dimensions.
-- refused: (4) xs: the reads of y would still be far apart
entry main [n] (xs : [2*n][n]i32) -> (sums : [n]i32) =
  let (sums1 : [n]i32) = kernel i < n do
    let (sum : i32) = loop (s : i32) = 0i32 for j < n do
      let (x : i32) = xs[i, j]
      let (z : i32) = xs[i + n, j]
      let (y : i32) = xs[i + j, i]
      let (s0 : i32) = s * x + y
      let (s1 : i32) = s0 * z
      in (s1)
    in (sum)
  in (sums1)
