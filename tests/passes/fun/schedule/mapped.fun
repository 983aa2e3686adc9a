-- (S3) What is mapped beside a top-level collective is computed first.
entry reduction [n] (xs : [n]i32) -> (r : i32) (y : [n]i32) =
  let (s : i32) (d : [n]i32) = kernel i < n reduce (\ (a : i32) (b : i32) ->
    let (c : i32) = a + b
    in (c)) (0i32) do
    let (x : i32) = xs[i]
    let (e : i32) = x * 2i32
    in (x, e)
  in (s, d)

entry scanned [n] [m] (xs : [n][m]i32) -> (r : [n]i32) (y : [n][m]i32) =
  let (s : [n]i32) (d : [n][m]i32) = kernel i < n scan (\ (a : i32) (b : i32) ->
    let (c : i32) = a + b
    in (c)) (0i32) do
    let (len : i32) = i32(m)
    let (row : [m]i32) = xs[i, m - 1 : m : -1]
    in (len, row)
  in (s, d)

entry histogram [n] [w] (h : *[w]i32) (xs : [n]i64) -> (r : [w]i32) (y : [n]bool) (z : [n]i64) =
  let (s : [w]i32) (d : [n]bool) (e : [n]i64) = kernel i < n hist (h) (\ (a : i32) (b : i32) ->
    let (c : i32) = a + b
    in (c)) (0i32) do
    let (x : i64) = xs[i]
    let (inside : bool) = 0 <= x && x < w
    in (x, 1i32, inside, i)
  in (s, d, e)
