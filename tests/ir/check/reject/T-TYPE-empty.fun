-- T-TYPE: an array without elements has strides, too
entry main (a0 : i64) (a1 : i64) (a2 : i64) (a3 : i64) (a4 : i64) (a5 : i64) (a6 : i64) (a7 : i64) -> (r : i32) =
  let (y : [0][a0 + 1][a1 + 1][a2 + 1][a3 + 1][a4 + 1][a5 + 1][a6 + 1][a7 + 1]i32) = replicate [0][a0 + 1][a1 + 1][a2 + 1][a3 + 1][a4 + 1][a5 + 1][a6 + 1][a7 + 1] 1i32
  in (0i32)
