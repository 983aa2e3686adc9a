-- T-RESULT: the body hands on another type
entry f (n : i64) -> (r : i64) =
  let (y : i64) = loop (a : i64) = 0 for i < n do
    let (b : i32) = i32(a)
    in (b)
  in (y)
