-- T-ENTRIES: two entry points of one name
entry f (x : i64) -> (r : i64) =
  in (x)

entry f (x : i64) -> (r : i64) =
  let (y : i64) = x + 1
  in (y)
