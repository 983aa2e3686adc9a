-- T-RESULT: the branches have different sizes, and the size is not returned along (fig. 2)
entry f [n] [m] (c : bool) (x : [n]i64) (y : [m]i64) -> (r : i64) =
  let (z : [n]i64) = if c then in (x) else in (y)
  in (n)
