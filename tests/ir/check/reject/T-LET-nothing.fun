-- T-LET: a value that nothing binds
entry f (x : i64) -> (r : i64) =
  let = x + 1
  in (x)
