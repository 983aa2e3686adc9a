-- T-HIST: the result has the type of its destination
entry f [n] (xs : [n]i64) (h : *[10]i64) -> (r : i64) =
  let (g : [11]i64) = kernel i < n hist (h) (\ (a : i64) (b : i64) -> in (a)) (0) do
    in (i, i)
  in (n)
