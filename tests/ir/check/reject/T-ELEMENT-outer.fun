-- T-ELEMENT: a reduction keeps the outer dimension
entry f (n : i64) (m : i64) -> (r : i64) =
  let (s : i64) = kernel i < n, j < m reduce (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    in (j)
  in (s)
