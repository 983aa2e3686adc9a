-- T-CONSUME-USED: the body returns what it consumed
entry f [n] (x : *[n]i64) -> (r : [n]i64) =
  let (y : [n]i64) = x with [0] = 1
  in (x)
