entry main [n] (xs : [n]f32) (ys : [n]f32) -> (r : f32) =
  let (dot : f32) =
    kernel i < n reduce comm
      (\(a : f32) (b : f32) ->
        let (c : f32) = a + b
        in (c)) (0.0f32)
    do
      let (x : f32) = xs[i]
      let (y : f32) = ys[i]
      let (xy : f32) = x * y
      in (xy)
  in (dot)
