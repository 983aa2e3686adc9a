-- T-CONSUME-USED: a loop parameter with * consumes its initial value
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : [n]i64) = loop (a : *[n]i64) = x for i < n do
    let (b : [n]i64) = a with [i] = i
    in (b)
  let (e : i64) = x[0]
  in (e)
