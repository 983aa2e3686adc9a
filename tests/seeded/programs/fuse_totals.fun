-- The last element of a scan, and another one.
entry main [n] (xs : [n]i64) -> (t : i64) (u : i64) =
  let (upto : [n]i64) = kernel j1 < n scan (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = xs[j1]
    in (u1)
  let (some : bool) = n > 1
  let (v : i64) (w : i64) = if some then
    let (k : i64) = n - 1
    let (v_1 : i64) = upto[k]
    let (w_1 : i64) = upto[1]
    in (v_1, w_1) else in (0, 0)
  in (v, w)
