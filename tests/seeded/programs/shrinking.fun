-- The number of iterations is negative for small n.
entry main (n : i64) -> (r : i64) =
  let (s : i64) = kernel i < n - 5 reduce (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    in (i)
  in (s)
