-- T-SIZE: the grid of foreign code on arrays has a size that is not in scope
entry f [n] (xs : [n]f32) -> (ys : [n]f32) =
  let (zs : [n]f32) = opaque rev (n, xs) grid [q]
  in (zs)
