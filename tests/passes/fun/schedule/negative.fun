-- A negative size traps before and after, wherever the kernel stands and whatever it folds.
entry top (n : i64) -> (r : i64) =
  let (s : i64) = kernel i < n - 1 reduce (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    in (i)
  in (s)

entry scanned (n : i64) -> [k] (r : [k]i64) =
  let (k1 : i64) = n - 1
  let (s : [k1]i64) = kernel i < k1 scan (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    in (i)
  in (k1, s)

entry counted [w] (h : *[w]i64) (n : i64) -> (r : [w]i64) =
  let (s : [w]i64) = kernel i < n - 1 hist (h) (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    in (i, 1)
  in (s)

-- The inner dimension may be negative where the outer one is zero.
entry inner (n : i64) (m : i64) -> [k] (r : [k]i64) =
  let (s : [n]i64) = kernel i < n, j < m reduce (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    in (j)
  in (n, s)

entry rows (n : i64) (m : i64) -> (r : i64) =
  let (s : i64) (d : [n][m]i64) = kernel i < n reduce (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    let (row : [m]i64) = iota [m] i 1
    in (i, row)
  in (s)

entry within [n] (xs : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (t : i64) = kernel j < x reduce (\ (a : i64) (b : i64) ->
      let (c : i64) = a + b
      in (c)) (0) do
      in (j)
    in (t)
  in (s)
