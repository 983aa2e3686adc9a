-- T-COND: an i64 is no condition
entry f (x : i64) -> (r : i64) =
  let (y : i64) = loop (a : i64) = x while a do in (0)
  in (y)
