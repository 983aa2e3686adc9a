-- Derived arrays: no data moves.
entry main [n] [m] (x : [n][m]f32) (k : i64) -> (r : f32) =
  let (rows : [k][m]f32) = x[1 : k, 0 : m]
  let (column : [n]f32) = x[0 : n, m - 1]
  let (every_second : [k]f32) = column[0 : k : 2]
  let (backwards : [k]f32) = column[n - 1 : k : -1]
  let (same : [k]f32) = column[0 : k : 0]
  let (t : [m][n]f32) = permute (1, 0) x
  let (flat_x : [m * n]f32) = reshape [n * m] x
  let (cube : [2][2][2]f32) = reshape [2][2][2] flat_x
  let (turned : [2][2][2]f32) = permute (2, 0, 1) cube
  let (b : [m][n]f32) = reverse 1 t
  let (diagonal : [n]f32) = flat flat_x[0 + {(n : m + 1)}]
  let (windows : [k][3]f32) = flat flat_x[1 + {(k : 1) (3 : 1)}]
  let (r1 : f32) = b[0, 0]
  in (r1)
