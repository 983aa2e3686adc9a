-- T-NAME: an operator does not see the innermost index
entry f (n : i64) -> (r : i64) =
  let (s : i64) = kernel i < n reduce (\ (a : i64) (b : i64) ->
    let (c : i64) = a + i
    in (c)) (0) do
    in (i)
  in (s)
