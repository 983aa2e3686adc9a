-- T-TYPE: more terms in the number of elements than can be written down
entry main (a0 : i64) (a1 : i64) (a2 : i64) (a3 : i64) (a4 : i64) (a5 : i64) (a6 : i64) (a7 : i64) -> (r : i32) =
  let (y : [a0 + 1][a1 + 1][a2 + 1][a3 + 1][a4 + 1][a5 + 1][a6 + 1][a7 + 1]i32) = replicate [a0 + 1][a1 + 1][a2 + 1][a3 + 1][a4 + 1][a5 + 1][a6 + 1][a7 + 1] 1i32
  let (z : i32) = y[0, 0, 0, 0, 0, 0, 0, 0]
  in (z)
