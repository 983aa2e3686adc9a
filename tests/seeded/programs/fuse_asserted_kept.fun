-- The array is a result as well, and its type says [m].
entry main [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) (s : [m]f32) =
  let (zs : [m]f32) = kernel j < m do
    let (y : f32) = ys[j]
    let (root : f32) = sqrt(y)
    in (root)
  let (same : bool) = n == m
  assert same "lengths differ"
  let (r_1 : [n]f32) = kernel i < n do
    let (x : f32) = xs[i]
    let (z : f32) = zs[i]
    let (xz : f32) = x * z
    in (xz)
  in (r_1, zs)
