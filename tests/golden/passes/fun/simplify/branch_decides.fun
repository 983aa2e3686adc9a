entry main [n] (xs : [n]i64) -> (r : i64) =
  let (none : bool) = n == 0
  let (r_1 : i64) =
    if none then
      in (7)
    else
      in (2)
  in (r_1)
