-- T-ALLOC: a block is no number
entry f (n : i64) -> (r : i64) =
  let (m : i64) = alloc n
  in (m)
