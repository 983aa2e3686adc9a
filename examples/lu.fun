-- LU decomposition without pivoting, in place: L below the diagonal (its own diagonal is 1),
-- U on and above it.
entry main [n] (a : *[n][n]f32) -> (lu : [n][n]f32) =
  let (result : [n][n]f32) = loop (x : *[n][n]f32) = a for k < n do
    let (pivot : f32) = x[k, k]
    let (column : [n - k - 1]f32) = kernel i < n - k - 1 do
      let (v : f32) = x[k + 1 + i, k]
      let (l : f32) = v / pivot
      in (l)
    let (x1 : [n][n]f32) = x with [k + 1 : n - k - 1, k] = column
    let (block : [n - k - 1][n - k - 1]f32) = kernel i2 < n - k - 1, j2 < n - k - 1 do
      let (old : f32) = x1[k + 1 + i2, k + 1 + j2]
      let (left : f32) = column[i2]
      let (up : f32) = x1[k, k + 1 + j2]
      let (new : f32) = old - left * up
      in (new)
    let (x2 : [n][n]f32) = x1 with [k + 1 : n - k - 1, k + 1 : n - k - 1] = block
    in (x2)
  in (result)
