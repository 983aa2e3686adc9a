-- T-CONSUME: a scatter of its own elements
entry f [n] (x : *[n]i64) (is : [n]i64) -> (r : i64) =
  let (y : [n]i64) = scatter x is x
  in (n)
