-- A kernel that calls a function that may trap, and one that may trap otherwise.
def divided (x : i64) (y : i64) -> (r : i64) =
  let (q : i64) = x / y
  in (q)

entry main [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = call divided (6, x) partial
      in (y)
  let (zs : [n]i64) =
    kernel j < n do
      let (k : i64) = ys[j]
      let (z : i64) = xs[k]
      in (z)
  in (zs)
