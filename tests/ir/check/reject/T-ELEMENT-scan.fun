-- T-ELEMENT: a scan has as many elements as iterations
entry f (n : i64) -> (r : i64) =
  let (s : i64) = kernel i < n scan (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    in (i)
  in (s)
