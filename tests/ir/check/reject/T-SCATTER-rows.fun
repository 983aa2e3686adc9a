-- T-SCATTER: a row of x has two elements, a value three
entry f [n] [m] (x : *[m][2]f32) (is : [n]i64) (vs : [n][3]f32) -> (r : i64) =
  let (y : [m][2]f32) = scatter x is vs
  in (n)
