-- T-REVERSE: dimensions count from 0
entry f [n] (x : [n]f32) -> (r : i64) =
  let (y : [n]f32) = reverse 1 x
  in (n)
