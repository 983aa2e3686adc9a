-- T-BIN: operands of two types
entry f (x : i64) (y : i32) -> (r : i64) =
  let (z : i64) = x + y
  in (z)
