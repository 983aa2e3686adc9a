-- T-VAR: let does not give an array a second name
entry f [n] (x : [n]i64) -> (r : i64) =
  let (y : [n]i64) = x
  in (n)
