-- A function that returns one value twice.
def pair (x : i64) -> (a : i64) (b : i64) =
  let (p : i64) = x * 2
  in (p, p)

entry main [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (a : i64) (b : i64) = call pair (x)
      let (c : i64) = a + b
      in (c)
  in (ys)
