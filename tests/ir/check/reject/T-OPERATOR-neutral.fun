-- T-OPERATOR: a neutral element of another type
entry f (n : i64) -> (r : i64) =
  let (s : i64) = kernel i < n reduce (\ (a : i64) (b : i64) -> in (a)) (0i32) do
    in (i)
  in (s)
