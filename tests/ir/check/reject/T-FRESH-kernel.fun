-- T-FRESH: a kernel index of an outer kernel's name
entry f (n : i64) -> (r : i64) =
  let (y : [n][n]i64) = kernel i < n do
    let (z : [n]i64) = kernel i < n do in (i)
    in (z)
  in (n)
