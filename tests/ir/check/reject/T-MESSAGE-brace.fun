-- T-MESSAGE: a brace that is neither a place nor doubled
entry f (c : bool) (x : i64) -> (r : i64) =
  assert c "{x} is {}" (x)
  in (x)
