-- T-CONSUME-USED: both results are the same new array
entry f (n : i64) (c : bool) -> (r : i64) =
  let (x : [n]i64) (y : [n]i64) = if c then
      let (z : [n]i64) = iota [n] 0 1
      in (z, z)
    else
      let (z1 : [n]i64) = iota [n] 0 1
      let (z2 : [n]i64) = iota [n] 0 1
      in (z1, z2)
  let (x1 : [n]i64) = x with [0] = 1
  let (e : i64) = y[0]
  in (e)
