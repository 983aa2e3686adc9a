-- T-EFFECT: an effect inside a kernel over rows
entry f [n][m] (offs : [n]i64) (xs : [m]i64) -> (r : [m]bool) =
  let (ys : [m]bool) = kernel i < n - 1, k in offs : m do
      let (x : i64) = xs[k]
      let (t : bool) = call note (false, x) effect
      in (t)
  in (ys)
