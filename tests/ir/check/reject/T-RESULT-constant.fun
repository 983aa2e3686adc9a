-- T-RESULT: with k returned as 3, the array must have 3 elements
entry f (c : bool) (x : [2]i64) -> (r : i64) =
  let (k : i64) (z : [k]i64) = if c then in (2, x) else in (3, x)
  in (k)
