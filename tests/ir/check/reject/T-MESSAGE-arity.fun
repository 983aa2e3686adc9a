-- T-MESSAGE: a message with two places, and one value
entry f (c : bool) (x : i64) -> (r : i64) =
  assert c "{} is not {}" (x)
  in (x)
