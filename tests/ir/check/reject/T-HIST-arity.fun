-- T-HIST: a destination without neutral element
entry f [n] (xs : [n]i64) (h : *[10]i64) (h2 : *[10]i64) -> (r : i64) =
  let (g : [10]i64) (g2 : [10]i64) = kernel i < n hist (h, h2) (\ (a : i64) (b : i64) -> in (a)) (0) do
    in (i, i, i)
  in (n)
