-- (1) A thread makes an array in its row of the result, and reads it there: that is expand's work.
-- refused: (1) row: each thread has its own
entry main [n] (m : i64) (xs : [n]i32) -> (rows : [n][m]i32) (sums : [n]i32) =
  let (rows1 : [n][m]i32) (sums1 : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (row : [m]i32) = iota [m] x 3i32
    let (sum : i32) = loop (s : i32) = 0i32 for j < m do
      let (y : i32) = row[j]
      let (s1 : i32) = s * 3i32 + y
      in (s1)
    in (row, sum)
  in (rows1, sums1)
