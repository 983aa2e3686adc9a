-- T-CONSUME-USED: both results may be x, which one branch consumed and the other hands back twice
entry f [n] (x : *[n]i64) (c : bool) -> (r : i64) =
  let (y : [n]i64) (z : [n]i64) = if c then
      let (x1 : [n]i64) = x with [0] = 1
      let (x2 : [n]i64) = copy x1
      in (x1, x2)
    else in (x, x)
  let (y1 : [n]i64) = y with [0] = 2
  let (e : i64) = z[0]
  in (e)
