-- T-FRESH: two parameters of one name
entry f (x : i64) (x : i64) -> (r : i64) =
  in (x)
