-- A reduction, and a scan of other values.
entry main [n] (as : [n]i64) (bs : [n]i64) -> (r : i64) (q : [n]i64) =
  let (total : i64) = kernel j1 < n reduce (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = as[j1]
    in (u1)
  let (upto : [n]i64) = kernel j2 < n scan (\ (a2 : i64) (b2 : i64) ->
    let (c2 : i64) = a2 + b2
    in (c2)) (0) do
    let (u2 : i64) = bs[j2]
    in (u2)
  in (total, upto)
