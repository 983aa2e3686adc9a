-- A function that only another function calls.
def half (x : i64) -> (r : i64) =
  let (y : i64) = x / 2
  in (y)

def quarter (x : i64) -> (r : i64) =
  let (y : i64) = call half (x)
  let (z : i64) = call half (y)
  in (z)

entry main [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (a : i64) = call quarter (x)
      in (a)
  in (ys)
