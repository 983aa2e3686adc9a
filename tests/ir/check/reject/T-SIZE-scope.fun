-- T-SIZE: a size of an inner body does not leave it
entry f (n : i64) (c : bool) -> (r : i64) =
  let (y : [k]i64) = if c then
      let (k : i64) = n + 1
      let (z : [k]i64) = iota [k] 0 1
      in (z)
    else
      let (k2 : i64) = n + 2
      let (z2 : [k2]i64) = iota [k2] 0 1
      in (z2)
  in (n)
