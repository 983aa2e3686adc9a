-- T-CONSUME: every iteration of the outer kernel would consume h
entry f [n] (h : *[n]i64) -> (r : i64) =
  let (y : [n][n]i64) = kernel j < n do
    let (g : [n]i64) = kernel i < n hist (h) (\ (a : i64) (b : i64) -> in (a)) (0) do
      in (i, i)
    in (g)
  in (n)
