-- T-CONSUME-USED: nor must its operator
entry f [n] (xs : [n]i64) (h : *[n]i64) -> (r : i64) =
  let (g : [n]i64) = kernel i < n hist (h) (\ (a : i64) (b : i64) ->
    let (e : i64) = h[0]
    in (e)) (0) do
    in (i, i)
  in (n)
