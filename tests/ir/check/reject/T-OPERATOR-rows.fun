-- T-OPERATOR: the neutral element is a bool
entry f [n] (offs : [n]i64) (m : i64) -> (r : [n - 1]i64) =
  let (s : [n - 1]i64) = kernel i < n - 1, k in offs : m reduce
      (\ (a : i64) (b : i64) -> in (a)) (true) do
    in (k)
  in (s)
