-- T-CONSUME: every iteration would consume x
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : i64) = loop (a : i64) = 0 for i < n do
    let (z : [n]i64) = x with [i] = a
    let (e : i64) = z[0]
    in (e)
  in (y)
