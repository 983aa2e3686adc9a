-- T-ELEMENT: a kernel gives an array
entry f (n : i64) -> (r : i64) =
  let (y : i64) = kernel i < n do in (i)
  in (y)
