-- For k = -4 the product is -2^64, which wraps to 0.
entry main (k : i64) -> (r : [k * 0]i64) =
  let (m : i64) = k * 4611686018427387904
  let (x : [m]i64) = iota [m] 0 1
  let (y : [k * 0]i64) = reshape [k * 0] x
  in (y)
