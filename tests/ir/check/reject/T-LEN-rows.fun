-- T-LEN: a number of elements below zero
entry f [n] (offs : [n]i64) -> (r : [n - 1]i64) =
  let (s : [n - 1]i64) = kernel i < n - 1, k in offs : -1 reduce
      (\ (a : i64) (b : i64) -> in (a)) (0) do
    in (k)
  in (s)
