-- T-SIZE: a size that no parameter binds
entry f [n] (x : [n]i64) -> (r : i64) =
  let (y : [n]i64) = loop (a : [k]i64) = x for i < n do in (a)
  in (n)
