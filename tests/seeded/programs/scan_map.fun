-- A scan that is stored, and the map that follows it.
entry main [n] (xs : [n]i64) -> (r : [n]i64) (q : [n]i64) =
  let (upto : [n]i64) = kernel j1 < n scan (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = xs[j1]
    in (u1)
  let (at : [n]i64) = kernel k1 < n do
    let (u : i64) = upto[k1]
    let (w : i64) = u * 3
    in (w)
  in (at, upto)
