-- T-CONSUME: a loop parameter without * may still be used by others
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : [n]i64) = loop (a : [n]i64) = x for i < n do
    let (b : [n]i64) = a with [i] = i
    in (b)
  in (n)
