-- T-OPERATOR: one neutral element needs an operator of two parameters
entry f (n : i64) -> (r : i64) =
  let (s : i64) = kernel i < n reduce (\ (a : i64) -> in (a)) (0) do
    in (i)
  in (s)
