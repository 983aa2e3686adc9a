-- T-NAME: a neutral element does not depend on an index
entry f (n : i64) -> (r : i64) =
  let (s : [n]i64) = kernel j < n, i < n reduce (\ (a : i64) (b : i64) -> in (a)) (j) do
    in (i)
  in (n)
