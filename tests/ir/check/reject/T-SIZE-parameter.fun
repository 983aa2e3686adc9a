-- T-SIZE: a size that no parameter binds
entry f (x : [n]i64) -> (r : i64) =
  in (0)
