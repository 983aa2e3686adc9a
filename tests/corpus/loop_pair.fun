-- A loop on the host makes two new arrays in every iteration, and reads both old ones for each.
entry main [n] (steps : i64) (xs : [n]f32) -> (r : [n]f32) (s : [n]f32) =
  let (ys : [n]f32) (zs : [n]f32) =
    loop (a : [n]f32) = xs, (b : [n]f32) = xs for t < steps do
      let (c : [n]f32) = kernel i < n do
        let (u : f32) = a[i]
        let (v : f32) = b[n - 1 - i]
        let (w : f32) = u * 0.5f32 - v
        in (w)
      let (d : [n]f32) = kernel j < n do
        let (u2 : f32) = a[j]
        let (v2 : f32) = b[j]
        let (w2 : f32) = u2 + v2
        in (w2)
      in (c, d)
  in (ys, zs)
