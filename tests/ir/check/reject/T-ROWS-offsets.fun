-- T-ROWS: as many offsets as rows; there is one more
entry f [n] [m] (offs : [n]i64) (xs : [m]f32) -> (r : [m]f32) =
  let (ys : [m]f32) = kernel i < n, k in offs : m do
    let (x : f32) = xs[k]
    in (x)
  in (ys)
