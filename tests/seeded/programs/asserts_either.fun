-- What is asserted holds since n is 0: nothing is said of m, and the array that nobody needs traps.
entry main [n] (xs : [n]i64) (m : i64) -> (r : i64) =
  let (none : bool) = n <= 0
  let (ok : bool) = m >= 0
  let (either : bool) = none || ok
  assert either "a negative number: {}" (m)
  let (ys : [m]i64) = iota [m] 0 1
  in (m)
