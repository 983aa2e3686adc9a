-- T-RESULT: an initial value of another type
entry f [n] (x : [n]f32) -> (r : i64) =
  let (y : i64) = loop (a : i64) = 0i32 for i < n do in (a)
  in (y)
