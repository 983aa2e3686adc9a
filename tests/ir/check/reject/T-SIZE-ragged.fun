-- T-SIZE: the elements of an array have one shape
entry f (n : i64) -> (r : i64) =
  let (y : [n][i]i64) = kernel i < n do
    let (z : [i]i64) = iota [i] 0 1
    in (z)
  in (n)
