-- Nobody uses v, but k may lie outside of a.
entry main [n] (a : [n]i32) (k : i64) -> (r : i64) =
  let (v : i32) = a[k]
  in (n)
