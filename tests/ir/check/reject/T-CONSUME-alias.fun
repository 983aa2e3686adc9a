-- T-CONSUME: an array is written to itself, shifted
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (v : [n - 1]i64) = x[1 : n - 1]
  let (y : [n]i64) = x with [0 : n - 1] = v
  in (n)
