-- T-CONSUME-USED: the value that is written was consumed
entry f [n] (x : *[n]i64) (v : *[n]i64) -> (r : i64) =
  let (v1 : [n]i64) = v with [0] = 1
  let (y : [n]i64) = x with [0 : n] = v
  in (n)
