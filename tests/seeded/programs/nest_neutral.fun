-- A neutral element that is computed in the iteration.
entry main [n] (xs : [n]i64) -> (q : [n]i64) =
  let (u : [n]i64) = kernel k < n do
    let (v : i64) = kernel l < n reduce (\ (d : i64) (e : i64) ->
      let (f : i64) = max(d, e)
      in (f)) (k) do
      let (y : i64) = xs[l]
      in (y)
    in (v)
  in (u)
