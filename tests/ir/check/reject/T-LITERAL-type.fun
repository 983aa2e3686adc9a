-- T-LITERAL: three elements
entry f (a : f32) -> (r : i64) =
  let (y : [2]f32) = [a, a, a] : f32
  in (0)
