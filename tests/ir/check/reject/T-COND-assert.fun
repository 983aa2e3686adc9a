-- T-COND: an i64 is no condition
entry f (x : i64) -> (r : i64) =
  assert x "x is not 0"
  in (x)
