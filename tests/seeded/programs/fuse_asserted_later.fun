-- The assertion comes too late: the consumer may read out of bounds.
entry main [n] [m] (xs : [n]f32) (ys : [m]f32) -> (r : [n]f32) =
  let (zs : [m]f32) = kernel j < m do
    let (power : f32) = loop (acc : f32) = 1.0f32 for t < j do
      let (next : f32) = acc * 2.0f32
      in (next)
    in (power)
  let (r_1 : [n]f32) = kernel i < n do
    let (x : f32) = xs[i]
    let (z : f32) = zs[i]
    let (xz : f32) = x * z
    in (xz)
  let (same : bool) = n == m
  assert same "lengths differ"
  in (r_1)
