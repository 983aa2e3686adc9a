-- T-CONSUME: the caller keeps x
entry f [n] (x : [n]i64) -> (r : i64) =
  let (y : [n]i64) = x with [0] = 1
  in (n)
