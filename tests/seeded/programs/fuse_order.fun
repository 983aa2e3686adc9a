-- The producer divides, the consumer indexes: which comes first matters.
entry main [n] (xs : [n]i64) (is : [n]i64) -> (r : [n]i64) =
  let (as : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (a : i64) = 12 / x
    in (a)
  let (bs : [n]i64) = kernel j < n do
    let (k : i64) = is[j]
    let (y : i64) = xs[k]
    let (z : i64) = as[j]
    let (b : i64) = y + z
    in (b)
  in (bs)
