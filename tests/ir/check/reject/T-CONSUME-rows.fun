-- T-CONSUME: every element would update the array
entry f [n] [l] (offs : [n]i64) (xs : *[l]i64) (m : i64) -> (r : [m]i64) =
  let (s : [m]i64) = kernel i < n - 1, k in offs : m do
    let (ys : [l]i64) = xs with [0] = k
    let (y : i64) = ys[0]
    in (y)
  in (s)
