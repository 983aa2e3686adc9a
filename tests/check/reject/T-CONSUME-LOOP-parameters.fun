-- T-CONSUME-LOOP: two parameters are exchanged
entry f [n] (x : *[n]i64) (y : *[n]i64) -> (r : i64) =
  let (z : [n]i64) (w : [n]i64) = loop (a : *[n]i64) = x, (b : *[n]i64) = y for i < n do
    in (b, a)
  in (n)
