-- T-SIZE: the row shape of a literal
entry f [n] (x : [n]i64) -> (r : i64) =
  let (y : [1][n]i64) = [x] : [k]i64
  in (n)
