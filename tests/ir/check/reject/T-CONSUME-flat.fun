-- T-CONSUME: the value of a flat update is not a part of what is updated
entry f (n : i64) (x : *[n * n]f32) -> (r : [n * n]f32) =
  let (d : [n]f32) = flat x[0 + {(n : n + 1)}]
  let (y : [n * n]f32) = x with flat [n - 1 + {(n : n - 1)}] = d
  in (y)
