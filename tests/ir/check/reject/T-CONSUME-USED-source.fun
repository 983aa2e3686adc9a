-- T-CONSUME-USED: updating a transposed array updates the array
entry f [n] (x : *[n][n]i64) -> (r : i64) =
  let (t : [n][n]i64) = permute (1, 0) x
  let (t2 : [n][n]i64) = reverse 0 t
  let (y : [n][n]i64) = t2 with [0, 0] = 1
  let (a : i64) = x[0, 0]
  in (a)
