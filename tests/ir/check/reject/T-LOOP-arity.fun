-- T-LOOP: two parameters, one name
entry f (n : i64) -> (r : i64) =
  let (y : i64) = loop (a : i64) = 0, (b : i64) = 1 for i < n do in (b, a)
  in (y)
