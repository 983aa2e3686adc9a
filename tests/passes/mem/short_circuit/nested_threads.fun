-- Threads in threads: results of results.
-- done: copy of cube, result of a thread of sheet, result of a thread of line
entry main [n] [m] [k] (xs : [n][m][k]i32) -> (zs : [n][m][k]i32) =
  let (cube : [n][m][k]i32) = kernel h < n do
    let (sheet : [m][k]i32) = kernel i < m do
      let (line : [k]i32) = kernel j < k do
        let (x : i32) = xs[h, i, j]
        let (y : i32) = x * x
        in (y)
      in (line)
    in (sheet)
  in (cube)
