-- Well typed, and traps: -2 is no number of elements.
entry main [n] (a : [n]i32) -> (y : i64) =
  let (k : i64) = 3
  let (x : [k - 5]i64) = iota [k - 5] 0 1
  let (z : i64) = x[0]
  in (z)
