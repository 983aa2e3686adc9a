-- T-LOOP: the pattern does not repeat the parameter's type
entry f (n : i64) -> (r : i64) =
  let (y : i32) = loop (a : i64) = 0 for i < n do in (a)
  in (n)
