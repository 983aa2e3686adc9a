-- What the producer reads is updated before the consumer.
entry main [n] (xs : *[n]i64) -> (r : [n]i64) (q : [n]i64) =
  let (as : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (a : i64) = x * 2
    in (a)
  let (ys : [n]i64) = xs with [0] = 7
  let (bs : [n]i64) = kernel j < n do
    let (z : i64) = as[j]
    let (b : i64) = z + j
    in (b)
  in (bs, ys)
