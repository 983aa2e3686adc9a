-- T-ROWS: two neutral elements, one result
entry f [n] (offs : [n]i64) (m : i64) -> (r : [n - 1]i64) =
  let (s : [n - 1]i64) = kernel i < n - 1, k in offs : m reduce
      (\ (a : i64) (a2 : i64) (b : i64) (b2 : i64) -> in (a, a2)) (0, 0) do
    in (i, i)
  in (s)
