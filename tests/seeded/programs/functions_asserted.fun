-- A function that checks its argument.
def positive (x : i64) -> (r : i64) =
  let (ok : bool) = x > 0
  assert ok "not positive"
  let (q : i64) = x - 1
  in (q)

entry main [n] (xs : [n]i64) -> (r : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = call positive (x) partial
      in (y)
  in (ys)
