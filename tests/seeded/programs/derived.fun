-- Every derived array, each of the one before.
entry main [n] [m] (a : [n][m]i32) -> (line : [m * n]i32) (back : [m][n]i32) (part : [1][1]i32) =
  let (t : [m][n]i32) = permute (1, 0) a
  let (r : [m][n]i32) = reverse 0 t
  let (p : [1][1]i32) = a[1 : 1, 1 : 1]
  let (l : [m * n]i32) = reshape [m * n] r
  in (l, r, p)
