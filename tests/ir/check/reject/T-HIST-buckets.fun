-- T-HIST: with one outer dimension, the destination needs two
entry f [n] (xs : [n]i64) (h : *[10]i64) -> (r : i64) =
  let (g : [10]i64) = kernel j < 10, i < n hist (h) (\ (a : i64) (b : i64) -> in (a)) (0) do
    in (i, i)
  in (n)
