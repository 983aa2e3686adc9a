-- T-FRESH: an inner binding shadows a parameter
entry f (x : i64) (c : bool) -> (r : i64) =
  let (y : i64) = if c then
      let (x : i64) = 3
      in (x)
    else in (4)
  in (y)
