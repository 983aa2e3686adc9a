-- From a thread through two concatenations and an update: everything is built in one block.
-- done: update of both, concat of left, concat of right, concat of a, concat of b, copy of z
-- done: result of a thread of line
entry main [n] [m] (xs : [n][m]i64) (ys : [m]i64) -> (zs : [n + 3][m]i64) =
  let (whole : [n + 3][m]i64) = replicate [n + 3][m] 0
  let (left : [n][m]i64) = kernel i < n do
    let (line : [m]i64) = kernel j < m do
      let (x : i64) = xs[i, j]
      let (y : i64) = x + 1
      in (y)
    in (line)
  let (a : [1][m]i64) = replicate [1][m] 2
  let (b : [1][m]i64) = kernel i2 < 1, j2 < m do
    let (v : i64) = ys[j2]
    in (v)
  let (right : [2][m]i64) = concat 0 a b
  let (both : [n + 2][m]i64) = concat 0 left right
  let (z : [n + 3][m]i64) = whole with [1 : n + 2, 0 : m] = both
  in (z)
