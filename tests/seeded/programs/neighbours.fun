-- A reduction of what lies between neighbours.
entry main [n] (xs : [n]i64) -> (r : i64) =
  let (s : i64) = kernel i < n - 1 reduce (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    let (x : i64) = xs[i]
    let (y : i64) = xs[i + 1]
    let (d : i64) = (y - x) * y
    in (d)
  in (s)
