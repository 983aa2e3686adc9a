-- Nobody uses x; without iterations its rows have n - 1 = -1 elements.
entry main [n] (a : [n]i32) -> (r : i64) =
  let (x : [n][n - 1]i32) = kernel i < n do
    let (row : [n - 1]i32) = a[0 : n - 1]
    in (row)
  in (n)
