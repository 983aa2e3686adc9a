-- T-CONSUME-USED: one branch consumed x
entry f [n] (x : *[n]i64) (c : bool) -> (r : i64) =
  let (z : i64) = if c then
      let (y : [n]i64) = x with [0] = 1
      let (e : i64) = y[0]
      in (e)
    else in (0)
  let (a : i64) = x[0]
  in (a)
