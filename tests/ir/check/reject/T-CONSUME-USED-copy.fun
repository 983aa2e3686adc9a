-- T-CONSUME-USED: the copy comes too late
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : [n]i64) = x with [0] = 1
  let (z : [n]i64) = copy x
  in (n)
