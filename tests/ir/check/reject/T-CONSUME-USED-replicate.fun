-- T-CONSUME-USED: replicate reads its operand
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : [n]i64) = x with [0] = 1
  let (z : [2][n]i64) = replicate [2] x
  in (n)
