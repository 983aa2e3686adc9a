-- A thread builds its result in its row, by a loop that works there, too.
-- done: copy of rows, result of a thread of row
entry main [n] [m] (xs : [n][m]i32) -> (zs : [n][m]i32) =
  let (rows : [n][m]i32) = kernel i < n do
    let (start : [m]i32) = replicate [m] 0i32
    let (row : [m]i32) = loop (r : *[m]i32) = start for j < m do
      let (x : i32) = xs[i, j]
      let (r1 : [m]i32) = r with [j] = x
      in (r1)
    in (row)
  in (rows)
