-- What a thread copies to its row, besides the value that it gives to a sum.
-- done: copy of rows, result of a thread of row
entry main [n] [m] (xs : [n][m]i32) -> (r : i32) (zs : [n][m]i32) =
  let (s : i32) (rows : [n][m]i32) =
    kernel i < n reduce (\(p : i32) (q : i32) -> let (o : i32) = p + q in (o)) (0i32) do
      let (row : [m]i32) = kernel j < m do
        let (x : i32) = xs[i, m - 1 - j]
        in (x)
      let (v : i32) = i32(i)
      let (w : i32) = v * 3i32
      in (w, row)
  in (s, rows)
