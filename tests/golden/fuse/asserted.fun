entry one [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) =
  let (zs : [m]f32) =
    kernel j < m do
      let (y : f32) = ys[j]
      let (root : f32) = sqrt(y)
      in (root)
  let (same : bool) = n == m
  assert same "lengths differ"
  let (r_1 : [n]f32) =
    kernel i < n do
      let (x : f32) = xs[i]
      let (z : f32) = zs[i]
      let (xz : f32) = x * z
      in (xz)
  in (r_1)

entry reversed [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) =
  let (zs : [m]f32) =
    kernel j < m do
      let (y : f32) = ys[j]
      let (root : f32) = sqrt(y)
      in (root)
  let (same : bool) = n == m
  assert same "lengths differ"
  let (r_1 : [n]f32) =
    kernel i < n do
      let (x : f32) = xs[i]
      let (back : i64) = n - 1 - i
      let (z : f32) = zs[back]
      let (xz : f32) = x * z
      in (xz)
  in (r_1)

entry kept [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) (s : [m]f32) =
  let (zs : [m]f32) =
    kernel j < m do
      let (y : f32) = ys[j]
      let (root : f32) = sqrt(y)
      in (root)
  let (same : bool) = n == m
  assert same "lengths differ"
  let (r_1 : [n]f32) =
    kernel i < n do
      let (x : f32) = xs[i]
      let (z : f32) = zs[i]
      let (xz : f32) = x * z
      in (xz)
  in (r_1, zs)

entry later [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) =
  let (zs : [m]f32) =
    kernel j < m do
      let (y : f32) = ys[j]
      let (root : f32) = sqrt(y)
      in (root)
  let (r_1 : [n]f32) =
    kernel i < n do
      let (x : f32) = xs[i]
      let (z : f32) = zs[i]
      let (xz : f32) = x * z
      in (xz)
  let (same : bool) = n == m
  assert same "lengths differ"
  in (r_1)

entry at_least [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) =
  let (zs : [m]f32) =
    kernel j < m do
      let (y : f32) = ys[j]
      let (root : f32) = sqrt(y)
      in (root)
  let (enough : bool) = n >= m
  assert enough "too few"
  let (r_1 : [n]f32) =
    kernel i < n do
      let (x : f32) = xs[i]
      let (z : f32) = zs[i]
      let (xz : f32) = x * z
      in (xz)
  in (r_1)

-- fuse,simplify -->

entry one [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) =
  let (same : bool) = n == m
  assert same "lengths differ"
  let (r_1 : [n]f32) =
    kernel j < n do
      let (y : f32) = ys[j]
      let (root : f32) = sqrt(y)
      let (x : f32) = xs[j]
      let (xz : f32) = x * root
      in (xz)
  in (r_1)

entry reversed [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) =
  let (same : bool) = n == m
  assert same "lengths differ"
  let (r_1 : [n]f32) =
    kernel i < n do
      let (y : f32) = ys[-i + n - 1]
      let (root : f32) = sqrt(y)
      let (x : f32) = xs[i]
      let (xz : f32) = x * root
      in (xz)
  in (r_1)

entry kept [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) (s : [m]f32) =
  let (zs : [m]f32) =
    kernel j < m do
      let (y : f32) = ys[j]
      let (root : f32) = sqrt(y)
      in (root)
  let (same : bool) = n == m
  assert same "lengths differ"
  let (r_1 : [n]f32) =
    kernel i < n do
      let (x : f32) = xs[i]
      let (z : f32) = zs[i]
      let (xz : f32) = x * z
      in (xz)
  in (r_1, zs)

entry later [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) =
  let (zs : [m]f32) =
    kernel j < m do
      let (y : f32) = ys[j]
      let (root : f32) = sqrt(y)
      in (root)
  let (r_1 : [n]f32) =
    kernel i < n do
      let (x : f32) = xs[i]
      let (z : f32) = zs[i]
      let (xz : f32) = x * z
      in (xz)
  let (same : bool) = n == m
  assert same "lengths differ"
  in (r_1)

entry at_least [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) =
  let (zs : [m]f32) =
    kernel j < m do
      let (y : f32) = ys[j]
      let (root : f32) = sqrt(y)
      in (root)
  let (enough : bool) = n >= m
  assert enough "too few"
  let (r_1 : [n]f32) =
    kernel i < n do
      let (x : f32) = xs[i]
      let (z : f32) = zs[i]
      let (xz : f32) = x * z
      in (xz)
  in (r_1)
-- fuse: zs (asserted.fun:36:3): (5) the array has no other uses, or the consumer can make it as well: the array has other uses, and its size another name
-- fuse: zs (asserted.fun:51:3): (1) iteration i reads element i and no other: element i of m is read
-- fuse: zs (asserted.fun:66:3): (1) iteration i reads element i and no other: element i of m is read
