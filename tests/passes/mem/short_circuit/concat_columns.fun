-- Side by side in the inner dimension: the parts' rows are further apart than they are long.
-- done: copy of z, concat of a, concat of b
entry main [n] [m] (xs : [n][m]f32) -> (zs : [n][2*m]f32) =
  let (a : [n][m]f32) = kernel i < n, j < m do
    let (x : f32) = xs[i, j]
    let (y : f32) = x * 2.0f32
    in (y)
  let (b : [n][m]f32) = kernel i2 < n, j2 < m do
    let (x2 : f32) = xs[i2, j2]
    let (y2 : f32) = x2 * 3.0f32
    in (y2)
  let (z : [n][2*m]f32) = concat 1 a b
  in (z)
