-- T-MESSAGE: a value, and no place for it
entry f (c : bool) (x : i64) -> (r : i64) =
  assert c "never" (x)
  in (x)
