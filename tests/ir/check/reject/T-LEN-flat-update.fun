-- T-LEN: an update of a negative number of elements
entry f [n] (x : *[n]i64) (v : [n]i64) -> (r : [n]i64) =
  let (y : [n]i64) = x with flat [0 + {(0 - 1 : 1)}] = v
  in (y)
