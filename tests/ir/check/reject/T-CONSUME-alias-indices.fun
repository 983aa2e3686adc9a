-- T-CONSUME: a scatter at the indices that it overwrites
entry f [n] (x : *[n]i64) (vs : [n]i64) -> (r : i64) =
  let (y : [n]i64) = scatter x x vs
  in (n)
