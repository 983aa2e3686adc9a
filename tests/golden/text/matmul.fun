entry main [n] [m] [k] (a : [n][k]f32) (b : [k][m]f32) -> (c : [n][m]f32) =
  let (ab : [n][m]f32) =
    kernel i < n, j < m do
      let (dot : f32) =
        kernel l < k reduce comm
          (\(x : f32) (y : f32) ->
            let (s : f32) = x + y
            in (s)) (0.0f32)
        do
          let (u : f32) = a[i, l]
          let (v : f32) = b[l, j]
          let (uv : f32) = u * v
          in (uv)
      in (dot)
  in (ab)
