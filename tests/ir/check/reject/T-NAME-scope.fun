-- T-NAME: a name of an inner body is not visible outside
entry f (c : bool) -> (r : i64) =
  let (y : i64) = if c then
      let (z : i64) = 3
      in (z)
    else in (4)
  let (w : i64) = z + 1
  in (w)
