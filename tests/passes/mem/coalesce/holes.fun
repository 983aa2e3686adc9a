-- An element that is never written, nor read, may be copied: the copy of nothing is nothing.
-- done: xs: m + 1 -> 0 + {(n : 1) (m + 1 : n)}
entry main [n] (m : i64) (ys : [n][m + 1]i32) -> (sums : [n]i32) =
  let (none : [n][m + 1]i32) = scratch [n][m + 1]i32
  let (some : [n][m]i32) = ys[0 : n, 0 : m]
  let (xs : [n][m + 1]i32) = none with [0 : n, 0 : m] = some
  let (sums1 : [n]i32) = kernel i < n do
    let (half : i32) = loop (s : i32) = 0i32 for j < m do
      let (x : i32) = xs[i, j]
      let (s1 : i32) = s * 3i32 + x
      in (s1)
    let (sum : i32) = loop (t : i32) = half for l < m do
      let (y : i32) = xs[i, l]
      let (t1 : i32) = t * 3i32 + y
      in (t1)
    in (sum)
  in (sums1)
