-- T-KERNEL: two neutral elements, one result
entry f (n : i64) -> (r : i64) =
  let (s : i64) = kernel i < n reduce (\ (a : i64) (a2 : i64) (b : i64) (b2 : i64) -> in (a, a2)) (0, 0) do
    in (i, i)
  in (s)
