-- T-CONSUME-USED: after two iterations, the first parameter is the third initial value
entry f [n] (x : *[n]i64) (y : *[n]i64) (z : *[n]i64) -> (r : i64) =
  let (a : [n]i64) (b : [n]i64) (c : [n]i64) = loop (a0 : [n]i64) = x, (b0 : [n]i64) = y, (c0 : [n]i64) = z for i < n do
    in (b0, c0, a0)
  let (z1 : [n]i64) = z with [0] = 1
  let (e : i64) = a[0]
  in (e)
