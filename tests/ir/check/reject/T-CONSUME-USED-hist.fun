-- T-CONSUME-USED: a kernel must not read the destination of its hist
entry f [n] (xs : [n]i64) (h : *[n]i64) -> (r : i64) =
  let (g : [n]i64) = kernel i < n hist (h) (\ (a : i64) (b : i64) -> in (a)) (0) do
    let (e : i64) = h[i]
    in (i, e)
  in (n)
