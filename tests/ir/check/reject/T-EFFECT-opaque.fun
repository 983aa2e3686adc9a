-- T-EFFECT: foreign code on arrays inside a kernel
entry f [n] (xs : [n]f32) -> (r : [n][n]f32) =
  let (ys : [n][n]f32) =
    kernel i < n do
      let (zs : [n]f32) = opaque rev (n, xs) grid [n]
      in (zs)
  in (ys)
