entry main [n] (a : *[n][n]f32) -> (lu : [n][n]f32) =
  let (result : [n][n]f32) =
    loop (x : *[n][n]f32) = a for k < n do
      let (pivot : f32) = x[k, k]
      let (column : [-k + n - 1]f32) =
        kernel i < -k + n - 1 do
          let (v : f32) = x[i + k + 1, k]
          let (l : f32) = v / pivot
          in (l)
      let (x1 : [n][n]f32) = x with [k + 1 : -k + n - 1, k] = column
      let (block : [-k + n - 1][-k + n - 1]f32) =
        kernel i2 < -k + n - 1, j2 < -k + n - 1 do
          let (old : f32) = x1[i2 + k + 1, j2 + k + 1]
          let (left : f32) = column[i2]
          let (up : f32) = x1[k, j2 + k + 1]
          let (new : f32) = old - left * up
          in (new)
      let (x2 : [n][n]f32) = x1 with [k + 1 : -k + n - 1, k + 1 : -k + n - 1] = block
      in (x2)
  in (result)
