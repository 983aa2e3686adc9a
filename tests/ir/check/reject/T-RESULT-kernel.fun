-- T-RESULT: the body gives i64, the array has elements f32
entry f (n : i64) -> [k] (r : [k]f32) =
  let (y : [n]f32) = kernel i < n do in (i)
  in (n, y)
