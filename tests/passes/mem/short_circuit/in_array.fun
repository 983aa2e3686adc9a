-- The rows are inside of the array, each of them to the end; how large its block is only a run tells.
-- done: update of b
entry main [n] [m] (c : bool) (xs : [n][m]i32) -> (r : i32) =
  let (x : [n + 1][m]i32) =
    if c then
      let (y : [n + 1][m]i32) = replicate [n + 1][m] 3i32
      in (y)
    else
      let (w : [n + 1][m]i32) = replicate [n + 1][m] 4i32
      in (w)
  let (b : [n + 1][m]i32) = replicate [n + 1][m] 7i32
  let (z : [n + 1][m]i32) = x with [n : n + 1 : -1, 0 : m] = b
  let (k : i64) = m - 1
  let (z0 : i32) = z[0, k]
  in (z0)
