-- T-FRESH: a loop index of a parameter's name
entry f (n : i64) -> (r : i64) =
  let (y : i64) = loop (a : i64) = 0 for n < 10 do in (n)
  in (y)
