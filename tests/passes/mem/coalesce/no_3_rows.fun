-- (3) Each thread has k rows: no dimension has neighbours that neighbouring threads read.
-- refused: (3) xs: threads i and i + 1 read neighbours along no dimension
entry main [m] (n : i64) (k : i64) (xs : [k*n][m]i32) -> (sums : [2][n]i32) =
  let (sums1 : [2][n]i32) = kernel g < 2, i < n do
    let (factor : i32) = i32(g)
    let (sum : i32) = loop (s : i32) = 0i32 for l < k do
      let (inner : i32) = loop (t : i32) = s for j < m do
        let (x : i32) = xs[i*k + l, j]
        let (t1 : i32) = t * factor + x
        in (t1)
      in (inner)
    in (sum)
  in (sums1)
