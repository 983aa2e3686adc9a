-- In a branch its condition decides comparisons.
entry main [n] (xs : [n]i64) -> (r : i64) =
  let (none : bool) = n == 0
  let (r_1 : i64) = if none then in (7) else
    let (k : i64) = n - 1
    let (c : bool) = k < 0
    let (v : i64) = if c then in (1) else in (2)
    in (v)
  in (r_1)
