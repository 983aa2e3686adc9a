-- T-CONSUME: a part of an array from outside of the loop
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : [n]i64) = x[0 : n]
  let (s : i64) = loop (a : i64) = 0 for i < n do
    let (z : [n]i64) = y with [0] = 1
    in (a)
  in (s)
