entry main [n] [m] (steps : i64) (start : [n][m]f32) -> (final : [n][m]f32) =
  let (grid : [n][m]f32) =
    loop (g : [n][m]f32) = start for t < steps do
      let (next : [n][m]f32) =
        kernel i < n, j < m do
          let (top : bool) = i == 0
          let (bottom : bool) = i == n - 1
          let (left : bool) = j == 0
          let (right : bool) = j == m - 1
          let (border : bool) = top || bottom || left || right
          let (v : f32) =
            if border then
              let (same : f32) = g[i, j]
              in (same)
            else
              let (up : f32) = g[i - 1, j]
              let (down : f32) = g[i + 1, j]
              let (west : f32) = g[i, j - 1]
              let (east : f32) = g[i, j + 1]
              let (mean : f32) = (up + down + west + east) * 0.25f32
              in (mean)
          in (v)
      in (next)
  in (grid)
