-- T-SIZE: the size of a scratch
entry f (n : i64) -> (r : i64) =
  let (y : [n]i64) = scratch [k] i64
  in (n)
