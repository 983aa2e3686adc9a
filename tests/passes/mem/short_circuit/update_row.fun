-- A row is built where it replaces another one; the rows below it are computed in place.
-- done: update of row, update of rest
-- refused: (3) copy of x2: it is a parameter of the entry point
entry main [n] [m] (xs : *[n + 1][m]i32) (us : [n]i32) (ys : [m]i32) -> (zs : [n + 1][m]i32) =
  let (row : [m]i32) = kernel j < m do
    let (y : i32) = ys[j]
    let (y2 : i32) = y * y
    in (y2)
  let (x1 : [n + 1][m]i32) = xs with [0, 0 : m] = row
  let (rest : [n][m]i32) = kernel i < n, j2 < m do
    let (old : i32) = x1[i + 1, j2]
    let (first : i32) = x1[0, j2]
    let (new : i32) = old + first
    in (new)
  let (x2 : [n + 1][m]i32) = x1 with [1 : n, 0 : m] = rest
  in (x2)
