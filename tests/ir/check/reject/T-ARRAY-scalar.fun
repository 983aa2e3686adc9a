-- T-ARRAY: a scalar has no elements
entry f (x : i64) -> (r : i64) =
  let (y : i64) = x[0]
  in (y)
