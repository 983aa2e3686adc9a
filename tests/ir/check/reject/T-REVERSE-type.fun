-- T-REVERSE: reversing keeps the element type
entry f [n] (x : [n]f32) -> (r : i64) =
  let (y : [n]f64) = reverse 0 x
  in (n)
