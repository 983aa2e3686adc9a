-- T-CONSUME-USED: a literal reads its elements
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : [n]i64) = x with [0] = 1
  let (z : [2][n]i64) = [y, x] : [n]i64
  in (n)
