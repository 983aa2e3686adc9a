-- T-CONSUME-USED: a slice of a consumed array
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : [n]i64) = x with [0] = 1
  let (z : [n]i64) = x[0 : n]
  in (n)
