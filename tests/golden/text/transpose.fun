entry main [n] [m] (a : [n][m]f32) -> (b : [m][n]f32) =
  let (t : [m][n]f32) = permute (1, 0) a
  in (t)

entry neighbours [n] [m] (x : [n][m]f32) -> (y : [m][n]f32) =
  let (t : [m][n]f32) = permute (1, 0) x
  let (r : [m][n]f32) = reverse 1 t
  let (s : [m][n]f32) =
    kernel i < m, j < n do
      let (u : f32) = t[i, j]
      let (v : f32) = r[i, j]
      let (w : f32) = u + v
      in (w)
  in (s)
