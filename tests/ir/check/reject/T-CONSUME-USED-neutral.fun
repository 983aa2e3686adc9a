-- T-CONSUME-USED: a neutral element that was consumed
entry f [n] (z : *[2]i64) (x : [n][2]i64) -> (r : i64) =
  let (y : [2]i64) = z with [0] = 1
  let (s : [2]i64) = kernel i < n reduce (\ (a : [2]i64) (b : [2]i64) -> in (a)) (z) do
    let (e : [2]i64) = x[i, 0 : 2]
    in (e)
  in (n)
