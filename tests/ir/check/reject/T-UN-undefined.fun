-- T-UN: an integer has no square root
entry f (x : i64) -> (r : i64) =
  let (y : i64) = sqrt(x)
  in (y)
