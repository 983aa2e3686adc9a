-- T-CONSUME: every iteration would consume x
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : [n]i64) = kernel i < n do
    let (z : [n]i64) = x with [i] = i
    let (e : i64) = z[0]
    in (e)
  in (n)
