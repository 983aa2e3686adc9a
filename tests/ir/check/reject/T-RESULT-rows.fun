-- T-RESULT: the elements are bools
entry f [n] (offs : [n]i64) (m : i64) -> (r : [m]i64) =
  let (s : [m]i64) = kernel i < n - 1, k in offs : m do
    in (true)
  in (s)
