-- T-FRESH: a loop parameter of its result's name
entry f (n : i64) -> (r : i64) =
  let (y : i64) = loop (y : i64) = 0 for i < n do in (y)
  in (y)
