-- Sizes that an assertion says are equal.

-- A map over [m] is read over [n]: one kernel, over n.
entry one [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) =
  let (zs : [m]f32) = kernel j < m do
    let (y : f32) = ys[j]
    let (root : f32) = sqrt(y)
    in (root)
  let (same : bool) = n == m
  assert same "lengths differ"
  let (r_1 : [n]f32) = kernel i < n do
    let (x : f32) = xs[i]
    let (z : f32) = zs[i]
    let (xz : f32) = x * z
    in (xz)
  in (r_1)

-- So is its reversal.
entry reversed [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) =
  let (zs : [m]f32) = kernel j < m do
    let (y : f32) = ys[j]
    let (root : f32) = sqrt(y)
    in (root)
  let (same : bool) = n == m
  assert same "lengths differ"
  let (r_1 : [n]f32) = kernel i < n do
    let (x : f32) = xs[i]
    let (back : i64) = n - 1 - i
    let (z : f32) = zs[back]
    let (xz : f32) = x * z
    in (xz)
  in (r_1)

-- The array is a result as well, and its type says [m].
entry kept [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) (s : [m]f32) =
  let (zs : [m]f32) = kernel j < m do
    let (y : f32) = ys[j]
    let (root : f32) = sqrt(y)
    in (root)
  let (same : bool) = n == m
  assert same "lengths differ"
  let (r_1 : [n]f32) = kernel i < n do
    let (x : f32) = xs[i]
    let (z : f32) = zs[i]
    let (xz : f32) = x * z
    in (xz)
  in (r_1, zs)

-- The assertion comes too late: the consumer may read out of bounds.
entry later [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) =
  let (zs : [m]f32) = kernel j < m do
    let (y : f32) = ys[j]
    let (root : f32) = sqrt(y)
    in (root)
  let (r_1 : [n]f32) = kernel i < n do
    let (x : f32) = xs[i]
    let (z : f32) = zs[i]
    let (xz : f32) = x * z
    in (xz)
  let (same : bool) = n == m
  assert same "lengths differ"
  in (r_1)

-- n is at least m: if it is more, the consumer reads out of bounds.
entry at_least [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) =
  let (zs : [m]f32) = kernel j < m do
    let (y : f32) = ys[j]
    let (root : f32) = sqrt(y)
    in (root)
  let (enough : bool) = n >= m
  assert enough "too few"
  let (r_1 : [n]f32) = kernel i < n do
    let (x : f32) = xs[i]
    let (z : f32) = zs[i]
    let (xz : f32) = x * z
    in (xz)
  in (r_1)
