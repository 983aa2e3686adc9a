-- T-CONSUME-USED: scatter consumes its destination
entry f [n] (x : *[n]i64) (is : [n]i64) (vs : [n]i64) -> (r : i64) =
  let (y : [n]i64) = scatter x is vs
  let (e : i64) = x[0]
  in (e)
