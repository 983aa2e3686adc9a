-- T-LET: a sum is one value
entry f (x : i64) -> (r : i64) =
  let (y : i64) (z : i64) = x + 1
  in (y)
