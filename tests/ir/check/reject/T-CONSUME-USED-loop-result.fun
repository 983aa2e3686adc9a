-- T-CONSUME-USED: a parameter without * hands its initial value through
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : [n]i64) = loop (a : [n]i64) = x for i < n do in (a)
  let (z : [n]i64) = x with [0] = 1
  let (e : i64) = y[0]
  in (e)
