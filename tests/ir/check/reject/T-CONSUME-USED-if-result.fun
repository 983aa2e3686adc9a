-- T-CONSUME-USED: the result of an if may be x
entry f [n] (x : *[n]i64) (y : *[n]i64) (c : bool) -> (r : i64) =
  let (z : [n]i64) = if c then in (x) else in (y)
  let (z1 : [n]i64) = z with [0] = 1
  let (a : i64) = y[0]
  in (a)
