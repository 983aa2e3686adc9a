-- T-VAR: an array is no value of a message
entry f [n] (c : bool) (xs : [n]i64) -> (r : i64) =
  assert c "{} has {}" (xs, n)
  in (n)
