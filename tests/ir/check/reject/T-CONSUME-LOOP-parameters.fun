-- T-CONSUME-LOOP: the next value of a parameter with * is a parameter without
entry f [n] (x : *[n]i64) (y : [n]i64) -> (r : i64) =
  let (z : [n]i64) (w : [n]i64) = loop (a : *[n]i64) = x, (b : [n]i64) = y for i < n do
    let (c : [n]i64) = copy b
    in (b, c)
  in (n)
