-- 0 times what traps.
entry main (x : i64) -> (y : i64) =
  let (z : i64) = 0 * (1 / x)
  in (z)
