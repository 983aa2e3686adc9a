-- T-LOOP: the condition of while is a parameter of the loop
entry f (c : bool) -> (r : i64) =
  let (y : i64) = loop (a : i64) = 0 while c do in (a)
  in (y)
