-- T-RESULT: a branch of another type
entry f (c : bool) (x : i64) (y : i32) -> (r : i64) =
  let (z : i64) = if c then in (x) else in (y)
  in (z)
