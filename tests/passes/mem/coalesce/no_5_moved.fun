-- (5) Rows that are only moved: the copy would be one more.
-- refused: (5) xs: the kernel computes with at least 0 elements, and the array has m*n
entry main [n] [m] (xs : [n][m]i32) -> (ys : [n][2*m]i32) =
  let (ys1 : [n][2*m]i32) = kernel i < n do
    let (row : [m]i32) = xs[n - 1 - i, 0 : m]
    let (two : [2*m]i32) = concat 0 row row
    in (two)
  in (ys1)
