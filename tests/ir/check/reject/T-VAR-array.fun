-- T-VAR: an array is no operand
entry f [n] (x : [n]i64) -> (r : i64) =
  let (y : i64) = x + 1
  in (y)
