-- T-CONSUME-USED: the offsets were updated
entry f [n] (offs : *[n]i64) (m : i64) -> (r : [m]i64) =
  let (other : [n]i64) = offs with [0] = 1
  let (s : [m]i64) = kernel i < n - 1, k in offs : m do
    in (k)
  in (s)
