entry folds [n] (xs : [n]i64) -> (lo : i64) (hi : i64) (sum : i64) =
  let (a : i64) =
    kernel i < n reduce comm
      (\(a1 : i64) (a2 : i64) ->
        let (a3 : i64) = min(a1, a2)
        in (a3)) (9223372036854775807)
    do
      let (x : i64) = xs[i]
      in (x)
  let (b : i64) =
    kernel j < n reduce comm
      (\(b1 : i64) (b2 : i64) ->
        let (b3 : i64) = max(b1, b2)
        in (b3)) (-9223372036854775808)
    do
      let (y : i64) = xs[j]
      in (y)
  let (far : i64) = b + 1
  let (c : i64) =
    kernel k < n reduce
      (\(c1 : i64) (c2 : i64) ->
        let (c3 : i64) = c1 * 3 + c2
        in (c3)) (0)
    do
      let (z : i64) = xs[-k + n - 1]
      in (z)
  in (a, far, c)

entry maps [n] (xs : [n]f32) (ys : [n]f32) -> (r : [n]f32) (q : [n]f32) =
  let (a : [n]f32) =
    kernel i < n do
      let (x : f32) = xs[i]
      let (x2 : f32) = x * x
      in (x2)
  let (b : [n]f32) =
    kernel j < n do
      let (y : f32) = xs[j]
      let (z : f32) = ys[j]
      let (w : f32) = y + z
      in (w)
  in (a, b)

entry scans [n] [m] (xs : [n][m]i64) -> (r : [n][m]i64) (q : [n][m]i64) =
  let (a : [n][m]i64) (twice : [n][m]i64) =
    kernel i < n, j < m scan
      (\(a1 : i64) (a2 : i64) ->
        let (a3 : i64) = a1 + a2
        in (a3)) (0)
    do
      let (x : i64) = xs[i, j]
      let (y : i64) = x * 2
      in (x, y)
  let (b : [n][m]i64) =
    kernel k < n, l < m scan
      (\(b1 : i64) (b2 : i64) ->
        let (b3 : i64) = max(b1, b2)
        let (b4 : i64) = b3 + k
        let (b5 : i64) = b4 - k
        in (b5)) (-9223372036854775808)
    do
      let (z : i64) = xs[k, l]
      in (z)
  let (sum : [n][m]i64) =
    kernel o < n, p < m do
      let (u : i64) = a[o, p]
      let (v : i64) = twice[o, p]
      let (w : i64) = u + v
      in (w)
  in (sum, b)

entry shown [n] (xs : [n]i64) (ts : [4]i64) (m : i64)
    -> [mm] (r : [n]i64) (q : [n][mm]i64) (p : [mm]i64) =
  let (as : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (a : i64) = 10 / x
      in (a)
  let (bs : [m]i64) =
    kernel j < m do
      let (t : i64) = ts[0]
      let (b : i64) = t + j
      in (b)
  let (cs : [n]i64) =
    kernel k < n do
      let (y : i64) = xs[k]
      let (c : i64) = y + 1
      in (c)
  let (ds : [n][m]i64) =
    kernel l < n do
      let (z : i64) = cs[l]
      let (row : [m]i64) = iota [m] z 1
      in (row)
  let (es : [m]i64) =
    kernel o < m do
      let (w : i64) = bs[o]
      let (e : i64) = w * 3
      in (e)
  in (m, as, ds, es)

-- fuse,simplify -->

entry folds [n] (xs : [n]i64) -> (lo : i64) (hi : i64) (sum : i64) =
  let (a : i64) (b : i64) (c : i64) =
    kernel i < n reduce
      (\(a1 : i64) (b1 : i64) (c1 : i64) (a2 : i64) (b2 : i64) (c2 : i64) ->
        let (a3 : i64) = min(a1, a2)
        let (b3 : i64) = max(b1, b2)
        let (c3 : i64) = c1 * 3 + c2
        in (a3, b3, c3)) (9223372036854775807, -9223372036854775808, 0)
    do
      let (x : i64) = xs[i]
      let (z : i64) = xs[-i + n - 1]
      in (x, x, z)
  let (far : i64) = b + 1
  in (a, far, c)

entry maps [n] (xs : [n]f32) (ys : [n]f32) -> (r : [n]f32) (q : [n]f32) =
  let (a : [n]f32) (b : [n]f32) =
    kernel i < n do
      let (x : f32) = xs[i]
      let (x2 : f32) = x * x
      let (z : f32) = ys[i]
      let (w : f32) = x + z
      in (x2, w)
  in (a, b)

entry scans [n] [m] (xs : [n][m]i64) -> (r : [n][m]i64) (q : [n][m]i64) =
  let (a : [n][m]i64) (b : [n][m]i64) (twice : [n][m]i64) =
    kernel i < n, j < m scan
      (\(a1 : i64) (b1 : i64) (a2 : i64) (b2 : i64) ->
        let (a3 : i64) = a1 + a2
        let (b3 : i64) = max(b1, b2)
        in (a3, b3)) (0, -9223372036854775808)
    do
      let (x : i64) = xs[i, j]
      let (y : i64) = x * 2
      in (x, x, y)
  let (sum : [n][m]i64) =
    kernel o < n, p < m do
      let (u : i64) = a[o, p]
      let (v : i64) = twice[o, p]
      let (w : i64) = u + v
      in (w)
  in (sum, b)

entry shown [n] (xs : [n]i64) (ts : [4]i64) (m : i64)
    -> [mm] (r : [n]i64) (q : [n][mm]i64) (p : [mm]i64) =
  let (as : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (a : i64) = 10 / x
      in (a)
  let (ds : [n][m]i64) =
    kernel k < n do
      let (y : i64) = xs[k]
      let (c : i64) = y + 1
      let (row : [m]i64) = iota [m] c 1
      in (row)
  let (es : [m]i64) =
    kernel j < m do
      let (t : i64) = ts[0]
      let (b : i64) = t + j
      let (e : i64) = b * 3
      in (e)
  in (m, as, ds, es)
-- fuse: as (horizontal.fun:58:3): (3) the first trap stays the first: the two may raise different traps
