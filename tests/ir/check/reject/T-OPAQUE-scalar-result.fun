-- T-OPAQUE: foreign code on arrays gives a scalar
entry f [n] (xs : [n]f32) -> (r : f32) =
  let (y : f32) = opaque total (n, xs)
  in (y)
