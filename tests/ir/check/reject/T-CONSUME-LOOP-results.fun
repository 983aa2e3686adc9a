-- T-CONSUME-LOOP: the next values of both parameters are one array
entry f [n] (x : *[n]i64) (y : [n]i64) -> (r : i64) =
  let (z : [n]i64) (w : [n]i64) = loop (a : *[n]i64) = x, (b : [n]i64) = y for i < n do
    let (c : [n]i64) = a with [i] = i
    let (d : [n]i64) = reverse 0 c
    in (c, d)
  in (n)
