-- T-CONSUME: a part of a parameter that is not the caller's to give away
entry f [n] (x : [n]i64) -> (r : i64) =
  let (y : [n]i64) = x[0 : n]
  let (z : [n]i64) = y with [0] = 1
  in (n)
