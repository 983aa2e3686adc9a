-- T-COND: an i64 is no condition
entry f (x : i64) -> (r : i64) =
  let (y : i64) = if x then in (1) else in (2)
  in (y)
