-- T-CONSUME-USED: x is read after it was updated
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : [n]i64) = x with [0] = 1
  let (a : i64) = x[0]
  in (a)
