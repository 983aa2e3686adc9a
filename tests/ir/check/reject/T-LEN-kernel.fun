-- T-LEN: a kernel has no negative number of iterations
entry f (x : i64) -> (r : i64) =
  let (s : i64) = kernel i < -1 reduce (\ (a : i64) (b : i64) -> in (a)) (0) do
    in (i)
  in (s)
