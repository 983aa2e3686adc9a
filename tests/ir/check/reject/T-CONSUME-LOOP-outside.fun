-- T-CONSUME-LOOP: the next a is x, which later iterations may read
entry f [n] (x : [n]i64) (y : *[n]i64) -> (r : i64) =
  let (z : [n]i64) = loop (a : *[n]i64) = y for i < n do
    let (b : [n]i64) = a with [i] = i
    let (c : [n]i64) = x[0 : n]
    in (c)
  in (n)
