-- T-NAME: a name that nothing binds
entry f (length : i64) -> (r : i64) =
  let (y : i64) = lenght + 1
  in (y)
