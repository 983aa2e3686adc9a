-- A thread's row is a place, whether or not somebody knows how large the block is.
-- done: update of b, result of a thread of row
entry main [n] [m] (c : bool) (xs : [n][m]i32) -> (r : i32) =
  let (x : [n + 1][m]i32) =
    if c then
      let (y : [n + 1][m]i32) = replicate [n + 1][m] 3i32
      in (y)
    else
      let (w : [n + 1][m]i32) = replicate [n + 1][m] 4i32
      in (w)
  let (b : [n][m]i32) = kernel i < n do
    let (row : [m]i32) = kernel j < m do
      let (v : i32) = xs[i, m - 1 - j]
      in (v)
    in (row)
  let (z : [n + 1][m]i32) = x with [0 : n, 0 : m] = b
  let (k : i64) = m - 1
  let (z0 : i32) = z[0, k]
  in (z0)
