-- T-CONSUME-USED: one array as two destinations
entry f [n] (h : *[n]i64) -> (r : i64) =
  let (g : [n]i64) (g2 : [n]i64) = kernel i < n hist (h, h) (\ (a : i64) (a2 : i64) (b : i64) (b2 : i64) -> in (a, a2)) (0, 0) do
    in (i, i, i)
  in (n)
