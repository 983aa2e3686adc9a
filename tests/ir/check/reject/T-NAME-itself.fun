-- T-NAME: a statement does not see what it binds
entry f (c : bool) -> (r : i64) =
  let (y : i64) = y + 1
  in (y)
