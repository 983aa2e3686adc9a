-- T-CONSUME: every call of the operator would consume x
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : i64) = kernel i < n reduce (\ (a : i64) (b : i64) ->
    let (z : [n]i64) = x with [0] = a
    let (e : i64) = z[0]
    in (e)) (0) do
    in (i)
  in (y)
