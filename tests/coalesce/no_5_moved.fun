-- (5) Rows that are only moved: the copy would be one more.
-- refused: (5) xs: for certain 0 elements are computed with, and it has m*n
entry main [n] [m] (xs : [n][m]i32) -> (ys : [n][2*m]i32) =
  let (ys1 : [n][2*m]i32) = kernel i < n do
    let (row : [m]i32) = xs[n - 1 - i, 0 : m]
    let (two : [2*m]i32) = concat 0 row row
    in (two)
  in (ys1)
