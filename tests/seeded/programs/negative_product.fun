-- The first iteration divides by zero, and then makes a row of negative size; in i64, neither the
-- size nor the number of iterations seems to be other than zero.
entry main [n] (xs : [n][0]i8) (a : i64) (b : i64) (z : i64) -> (r : [n*n][a*b]i64) =
  let (s : [n*n][a*b]i64) = kernel i < n * n do
    let (d : i64) = 1 / z
    let (k : i64) = i + 1
    let (many : [k]i64) = replicate [k] d
    let (e : i64) = many[0]
    let (q : [a*b]i64) = replicate [a*b] e
    in (q)
  in (s)
