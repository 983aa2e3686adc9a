-- T-OPAQUE: foreign code on arrays gives nothing
entry f [n] (xs : [n]f32) -> (r : i64) =
  let = opaque show (n, xs)
  in (n)
