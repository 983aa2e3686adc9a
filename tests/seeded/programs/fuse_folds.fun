-- Two reductions of one array; the operator of neither is the other's.
entry main [n] (xs : [n]i64) -> (r : i64) (q : i64) (p : i64) =
  let (a : i64) = kernel i < n reduce (\ (a1 : i64) (a2 : i64) ->
    let (a3 : i64) = a1 * 3
    let (a4 : i64) = a3 + a2
    in (a4)) (0) do
    let (x : i64) = xs[i]
    in (x)
  let (early : i64) = a + 1
  let (b : i64) = kernel j < n reduce (\ (b1 : i64) (b2 : i64) ->
    let (b3 : i64) = max(b1, b2)
    in (b3)) (-100) do
    let (y : i64) = xs[j]
    let (z : i64) = y - 1
    in (z)
  in (a, b, early)
