-- T-HIST: two destinations, one name
entry f [n] (xs : [n]i64) (h : *[10]i64) (h2 : *[10]i64) -> (r : i64) =
  let (g : [10]i64) = kernel i < n hist (h, h2) (\ (a : i64) (a2 : i64) (b : i64) (b2 : i64) -> in (a, a2)) (0, 0) do
    in (i, i, i)
  in (n)
