-- T-SIZE: the number of iterations of a loop is known before it
entry f (n : i64) -> (r : i64) =
  let (y : i64) = loop (a : i64) = 0 for i < a do in (i)
  in (y)
