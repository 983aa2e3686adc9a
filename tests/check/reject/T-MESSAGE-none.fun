-- T-MESSAGE: a message with a place, and no value; braces are doubled where no value is either
entry f (c : bool) (x : i64) -> (r : i64) =
  assert c "{}"
  in (x)
