-- T-FRESH: the row and the element have one index
entry f [n] (offs : [n]i64) (m : i64) -> (r : [m]i64) =
  let (s : [m]i64) = kernel i < n - 1, i in offs : m do
    in (i)
  in (s)
