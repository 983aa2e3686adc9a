-- T-FRESH: once in an entry point means once in both branches together
entry f (c : bool) -> (r : i64) =
  let (y : i64) = if c then
      let (z : i64) = 3
      in (z)
    else
      let (z : i64) = 4
      in (z)
  in (y)
