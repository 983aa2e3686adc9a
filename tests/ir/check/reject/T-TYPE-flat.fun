-- T-TYPE: a slice without dimensions is no array, and no element either
entry f [n] (x : [n]i64) (o : i64) -> (r : i64) =
  let (y : i64) = flat x[o + {}]
  in (y)
