-- A loop that starts with a row and goes on with fresh arrays.
entry main [n] [m] (a : [n][m]i32) (steps : i64) -> (r : [m]i32) =
  let (row : [m]i32) = a[1, 0 : m]
  let (last : [m]i32) = loop (x : [m]i32) = row for i < steps do
    let (y : [m]i32) = kernel j < m do
      let (v : i32) = x[m - 1 - j]
      let (w : i32) = v + i32(i)
      in (w)
    in (y)
  in (last)
