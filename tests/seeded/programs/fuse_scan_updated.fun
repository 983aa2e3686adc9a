-- What a scan reads is updated between it and its map.
entry main [n] (xs : *[n]i64) -> (r : [n]i64) (t : [n]i64) =
  let (upto : [n]i64) = kernel j1 < n scan (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = xs[j1]
    in (u1)
  let (zs : [n]i64) = xs with [0] = 5
  let (at : [n]i64) = kernel k1 < n do
    let (u : i64) = upto[k1]
    let (w : i64) = u * 3
    in (w)
  in (at, zs)
