-- The array was updated in the meantime, elsewhere, and has as many rows as before.
-- done: update of b
entry main [n] (c : bool) (xs : [n]i32) -> (r : i32) =
  let (x : [n + 1][n + 1]i32) =
    if c then
      let (y : [n + 1][n + 1]i32) = replicate [n + 1][n + 1] 3i32
      in (y)
    else
      let (w : [n + 1][n + 1]i32) = replicate [n + 1][n + 1] 4i32
      in (w)
  let (b : [n][n + 1]i32) = replicate [n][n + 1] 7i32
  let (x1 : [n + 1][n + 1]i32) = x with [0, 0] = 5i32
  let (z : [n + 1][n + 1]i32) = x1 with [1 : n, 0 : n + 1] = b
  let (z0 : i32) = z[0, n]
  in (z0)
