-- A range that nobody uses traps if its size is negative.
entry main (n : i64) -> (r : i64) =
  let (dead : [n]i64) = iota [n] 0 1
  let (r1 : i64) = n + 1
  in (r1)
