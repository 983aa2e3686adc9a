-- T-FRESH: a name is bound twice
entry f (x : i64) -> (r : i64) =
  let (y : i64) = x + 1
  let (y : i64) = y + 1
  in (y)
