-- Kernels over rows of varying length: what is made and read over the same rows is no array.

-- (F0) A map of the elements alone is a kernel over these, and becomes part of a fold of the rows.
entry squares [n] [m] (offs : [n]i64) (xs : [m]i32) -> (r : [n - 1]i32) =
  let (ys : [m]i32) = kernel i < n - 1, k in offs : m do
    let (x : i32) = xs[k]
    let (y : i32) = x * x
    in (y)
  let (s : [n - 1]i32) = kernel j < n - 1, l in offs : m reduce comm
    (\ (a : i32) (b : i32) -> let (c : i32) = a + b in (c)) (0i32) do
    let (z : i32) = ys[l]
    in (z)
  in (s)

-- An ordinary kernel over the elements, read backwards.
entry backwards [n] [m] (offs : [n]i64) (xs : [m]i32) -> (r : [m]i32) =
  let (ys : [m]i32) = kernel i < m do
    let (x : i32) = xs[i]
    let (y : i32) = x * x
    in (y)
  let (s : [m]i32) = kernel j < n - 1, l in offs : m scan
    (\ (a : i32) (b : i32) -> let (c : i32) = a + b in (c)) (0i32) do
    let (z : i32) = ys[m - 1 - l]
    in (z)
  in (s)

-- (F3) Both have the row.
entry shifted [n] [m] (offs : [n]i64) (xs : [m]i32) (ds : [n]i32) -> (r : [n - 1]i32) =
  let (ys : [m]i32) = kernel i < n - 1, k in offs : m do
    let (x : i32) = xs[k]
    let (d : i32) = ds[i]
    let (y : i32) = x - d
    in (y)
  let (s : [n - 1]i32) = kernel j < n - 1, l in offs : m reduce comm
    (\ (a : i32) (b : i32) -> let (c : i32) = a + b in (c)) (0i32) do
    let (z : i32) = ys[l]
    let (w : i32) = z * i32(j)
    in (w)
  in (s)

-- (F3) A map of all elements: the rows stay; both arrays are results.
entry whole [n] [m] (offs : [n]i64) (xs : [m]i32) -> (r : [m]i32) (q : [m]i64) =
  let (ys : [m]i64) = kernel i < n - 1, k in offs : m do
    let (o : i64) = offs[i]
    let (y : i64) = k - o
    in (y)
  let (zs : [m]i32) = kernel j < m do
    let (y2 : i64) = ys[j]
    let (x : i32) = xs[j]
    let (z : i32) = x + i32(y2)
    in (z)
  in (zs, ys)

-- (F4) Two folds of the same rows read the elements once.
entry folds [n] [m] (offs : [n]i64) (xs : [m]i32) -> (r : [n - 1]i32) (q : [n - 1]i32) =
  let (s : [n - 1]i32) = kernel i < n - 1, k in offs : m reduce comm
    (\ (a : i32) (b : i32) -> let (c : i32) = a + b in (c)) (0i32) do
    let (x : i32) = xs[k]
    in (x)
  let (t : [n - 1]i32) = kernel j < n - 1, l in offs : m reduce comm
    (\ (a2 : i32) (b2 : i32) -> let (c2 : i32) = max(a2, b2) in (c2)) (-9i32) do
    let (x2 : i32) = xs[l]
    let (y2 : i32) = x2 * i32(j)
    in (y2)
  in (s, t)

-- Not: the second is over other rows; a fold of all elements; several elements in one iteration.
entry other_rows [n] [m] (offs : [n]i64) (ends : [n]i64) (xs : [m]i32) -> (r : [n - 1]i64) =
  let (ys : [m]i64) = kernel i < n - 1, k in offs : m do
    in (i)
  let (s : [n - 1]i64) = kernel j < n - 1, l in ends : m reduce comm
    (\ (a : i64) (b : i64) -> let (c : i64) = a + b in (c)) (0) do
    let (z : i64) = ys[l]
    in (z)
  in (s)

entry all_elements [n] [m] (offs : [n]i64) (xs : [m]i32) -> (r : i64) =
  let (ys : [m]i64) = kernel i < n - 1, k in offs : m do
    in (i)
  let (s : i64) = kernel l < m reduce comm
    (\ (a : i64) (b : i64) -> let (c : i64) = a + b in (c)) (0) do
    let (z : i64) = ys[l]
    in (z)
  in (s)

-- Not: wrong offsets trap before the element out of bounds does, unless the check stands first.
entry traps [n] [m] [w] (offs : [n]i64) (xs : [w]i32) (ms : [m]i32) -> (r : [n - 1]i32) =
  let (ys : [m]i32) = kernel i < m do
    let (x : i32) = xs[i]
    in (x)
  let (s : [n - 1]i32) = kernel j < n - 1, l in offs : m reduce comm
    (\ (a : i32) (b : i32) -> let (c : i32) = a + b in (c)) (0i32) do
    let (z : i32) = ys[l]
    in (z)
  in (s)
