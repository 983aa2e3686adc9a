-- (S1) One thread per outer index folds the innermost dimension.
entry sums [n] [m] (xs : [n][m]i32) -> (r : [n]i32) =
  let (s : [n]i32) = kernel i < n, j < m reduce (\ (a : i32) (b : i32) ->
    let (c : i32) = a + b
    in (c)) (0i32) do
    let (x : i32) = xs[i, j]
    in (x)
  in (s)

-- A result that is mapped beside the reduction.
entry mapped [n] [m] (xs : [n][m]i32) -> (r : [n]i32) (d : [n][m]i32) =
  let (s : [n]i32) (y : [n][m]i32) = kernel i < n, j < m reduce (\ (a : i32) (b : i32) ->
    let (c : i32) = a + b
    in (c)) (0i32) do
    let (x : i32) = xs[i, j]
    let (twice : i32) = x * 2i32
    in (x, twice)
  in (s, y)

-- A scan with three dimensions.
entry prefixes [n] [m] [k] (xs : [n][m][k]i32) -> (r : [n][m][k]i32) =
  let (s : [n][m][k]i32) = kernel i < n, j < m, l < k scan (\ (a : i32) (b : i32) ->
    let (c : i32) = a + b
    in (c)) (0i32) do
    let (x : i32) = xs[i, j, l]
    in (x)
  in (s)

-- One histogram per row of the input; the bucket may lie outside.
entry counts [n] [m] [w] (h : *[n][w]i32) (xs : [n][m]i64) -> (r : [n][w]i32) =
  let (s : [n][w]i32) = kernel i < n, j < m hist (h) (\ (a : i32) (b : i32) ->
    let (c : i32) = a + b
    in (c)) (0i32) do
    let (x : i64) = xs[i, j]
    in (x, 1i32)
  in (s)

-- Rows are added up, for each i; what is mapped beside is a row as well.
entry blocks [n] [m] [k] (xs : [n][m][k]i32) -> (r : [n][k]i32) (d : [n][m][k]i32) =
  let (zeros : [k]i32) = replicate [k] 0i32
  let (s : [n][k]i32) (y : [n][m][k]i32) = kernel i < n, j < m reduce
    (\ (a : [k]i32) (b : [k]i32) ->
    let (c : [k]i32) = kernel l < k do
      let (u : i32) = a[l]
      let (v : i32) = b[k - 1 - l]
      let (w : i32) = u * 2i32 + v
      in (w)
    in (c)) (zeros) do
    let (row : [k]i32) = xs[i, j, 0 : k]
    let (back : [k]i32) = reverse 0 row
    in (row, back)
  in (s, y)

-- The operator sees the outer index.
entry indexed [n] [m] (xs : [n][m]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) = kernel i < n, j < m scan (\ (a : i64) (b : i64) ->
    let (odd : bool) = i % 2 == 1
    let (c : i64) = if odd then
      let (least : i64) = min(a, b)
      in (least)
    else
      let (sum : i64) = a + b
      in (sum)
    in (c)) (0) do
    let (x : i64) = xs[i, j]
    in (x)
  in (s)
