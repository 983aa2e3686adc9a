-- Both results are existential: sizes, offset and strides differ from branch to branch.
entry main [n] [m] (a : [n][m]i32) (c : bool)
    -> [k] [l] (x : [k][l]i32) (y : [m][n]i32) =
  let (k1 : i64) (l1 : i64) (x1 : [k1][l1]i32) (y1 : [m][n]i32) =
    if c then
      let (t : [m][n]i32) = permute (1, 0) a
      in (n, m, a, t)
    else
      let (t2 : [m][n]i32) = permute (1, 0) a
      let (t3 : [m][n]i32) = copy t2
      let (l2 : i64) = m - 1
      let (s : [n][m - 1]i32) = a[0 : n, 1 : m - 1]
      let (s2 : [n][l2]i32) = reshape [n][l2] s
      in (n, l2, s2, t3)
  in (k1, l1, x1, y1)
