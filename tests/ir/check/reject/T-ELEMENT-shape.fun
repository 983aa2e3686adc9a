-- T-ELEMENT: n iterations do not give m elements
entry f (n : i64) (m : i64) -> (r : i64) =
  let (y : [m]i64) = kernel i < n do in (i)
  in (n)
