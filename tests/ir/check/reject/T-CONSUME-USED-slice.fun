-- T-CONSUME-USED: a slice of x is read after x was updated
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (s : [1]i64) = x[0 : 1]
  let (y : [n]i64) = x with [0] = 1
  let (a : i64) = s[0]
  in (a)
