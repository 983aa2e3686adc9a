-- T-CONSUME-USED: x is consumed twice
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : [n]i64) = x with [0] = 1
  let (z : [n]i64) = x with [0] = 2
  in (n)
