-- T-OPERATOR: a parameter of another type than the elements
entry f (n : i64) -> (r : i64) =
  let (s : i64) = kernel i < n reduce (\ (a : i64) (b : i32) -> in (a)) (0) do
    in (i)
  in (s)
