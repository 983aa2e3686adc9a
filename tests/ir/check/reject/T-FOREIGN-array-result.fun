-- T-FOREIGN: a foreign function gives no arrays
entry f (x : i64) -> (r : i64) =
  let (ys : [3]i64) = call make (x) foreign
  let (y : i64) = ys[0]
  in (y)
