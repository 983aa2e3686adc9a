-- Two flags, which are conversions of the condition.
entry main (k : i64) -> (a : i64) (b : i32) =
  let (c : bool) = k < 2
  let (x : i64) (y : i32) = if c then in (1, 0i32) else in (0, 1i32)
  in (x, y)
