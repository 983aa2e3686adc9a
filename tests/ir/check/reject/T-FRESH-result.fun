-- T-FRESH: a result of a parameter's name
entry f (x : i64) -> (x : i64) =
  in (x)
