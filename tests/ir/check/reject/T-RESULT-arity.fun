-- T-RESULT: a result is missing
entry f (x : i64) -> (r : i64) (s : i64) =
  in (x)
