-- (S5) Reductions of rows in strips of 64, if they are long: 128 elements for each byte.
entry sums [m] [n] (xs : [n][m]i8) -> (r : [n]i8) =
  let (s : [n]i8) = kernel i < n, j < m reduce (\ (a : i8) (b : i8) ->
    let (c : i8) = a + b
    in (c)) (0i8) do
    let (row : [m]i8) = xs[i, 0 : m]
    let (x : i8) = row[j]
    in (x)
  in (s)

-- Two operands; a vector for all rows, and a number for each.
entry weighted [m] [n] (xs : [n][m]i8) (ws : [m]i8) (ks : [n]i8) -> (ra : [n]i8) (rb : [n]i8) =
  let (sa : [n]i8) (sb : [n]i8) = kernel i < n, j < m reduce
    (\ (a1 : i8) (b1 : i8) (a2 : i8) (b2 : i8) ->
    let (a3 : i8) = a1 + a2
    let (b3 : i8) = max(b1, b2)
    in (a3, b3)) (1i8, -100i8) do
    let (k : i8) = ks[i]
    let (row : [m]i8) = xs[i, 0 : m]
    let (x : i8) = row[j]
    let (w : i8) = ws[j]
    let (y : i8) = k * x * w + i8(j) - i8(i)
    in (y, x)
  in (sa, sb)

-- The length is known.
entry known [n] (xs : [n][130]i8) -> (r : [n]i8) =
  let (s : [n]i8) = kernel i < n, j < 130 reduce (\ (a : i8) (b : i8) ->
    let (c : i8) = a ^ b
    in (c)) (0i8) do
    let (row : [130]i8) = xs[i, 0 : 130]
    let (x : i8) = row[j]
    in (x)
  in (s)

-- Not so: rows are short; columns are added up, twice; an operand is crossed.
entry short [n] (xs : [n][100]i8) -> (r : [n]i8) =
  let (s : [n]i8) = kernel i < n, j < 100 reduce (\ (a : i8) (b : i8) ->
    let (c : i8) = a + b
    in (c)) (0i8) do
    let (row : [100]i8) = xs[i, 0 : 100]
    let (x : i8) = row[j]
    in (x)
  in (s)

entry columns [m] [n] (xs : [m][n]i8) -> (r : [n]i8) =
  let (s : [n]i8) = kernel i < n, j < m reduce (\ (a : i8) (b : i8) ->
    let (c : i8) = a + b
    in (c)) (0i8) do
    let (column : [m]i8) = xs[0 : m, i]
    let (x : i8) = column[j]
    in (x)
  in (s)

entry transposed [m] [n] (xs : [m][n]i8) -> (r : [n]i8) =
  let (ys : [n][m]i8) = permute (1, 0) xs
  let (s : [n]i8) = kernel i < n, j < m reduce (\ (a : i8) (b : i8) ->
    let (c : i8) = a + b
    in (c)) (0i8) do
    let (row : [m]i8) = ys[i, 0 : m]
    let (x : i8) = row[j]
    in (x)
  in (s)

entry crossed [m] [n] (xs : [n][m]i8) -> (r : [n]i8) =
  let (s : [n]i8) = kernel i < n, j < m reduce (\ (a : i8) (b : i8) ->
    let (c : i8) = a - b
    in (c)) (0i8) do
    let (row : [m]i8) = xs[i, 0 : m]
    let (x : i8) = row[j]
    in (x)
  in (s)

-- The operator sees the outer index, in both kernels.
entry above [m] [n] (xs : [n][m]i8) -> (r : [n]i8) =
  let (s : [n]i8) = kernel i < n, j < m reduce comm (\ (a : i8) (b : i8) ->
    let (c : i8) = max(a, b)
    let (d : i8) = max(c, i8(i))
    in (d)) (-128i8) do
    let (row : [m]i8) = xs[i, 0 : m]
    let (x : i8) = row[j]
    in (x)
  in (s)
