-- T-EFFECT: an effect inside a kernel
entry f [n] (xs : [n]i64) -> (r : [n]bool) =
  let (ys : [n]bool) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (t : bool) = call note (false, x) effect
      in (t)
  in (ys)
