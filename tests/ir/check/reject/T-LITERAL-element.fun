-- T-LITERAL: one element has another type
entry f (a : f32) (b : f64) -> (r : i64) =
  let (y : [2]f32) = [a, b] : f32
  in (0)
