-- T-CONSUME-USED: a kernel reads what was consumed before it
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : [n]i64) = x with [0] = 1
  let (z : [n]i64) = kernel i < n do
    let (e : i64) = x[i]
    in (e)
  in (n)
