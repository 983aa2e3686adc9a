-- T-CONSUME-USED: one initial value for two parameters
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : [n]i64) (z : [n]i64) = loop (a : *[n]i64) = x, (s : [n]i64) = x for i < n do
    let (b : [n]i64) = a with [i] = i
    in (b, s)
  in (n)
