-- (5) A transposition, with a little work: its copy would be the same reads again.
-- refused: (5) xs: each thread reads one element: the copy would read as many that are far apart
entry main [n] [m] (xs : [n][m]i32) -> (ys : [m][n]i32) =
  let (ys1 : [m][n]i32) = kernel i < m, j < n do
    let (x : i32) = xs[j, i]
    let (y : i32) = x + 1i32
    in (y)
  in (ys1)
