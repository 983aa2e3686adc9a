-- T-LMAD: eight strides of which nobody knows the sign
entry main [n] (x : [n]i64) (s0 : i64) (s1 : i64) (s2 : i64) (s3 : i64) (s4 : i64) (s5 : i64) (s6 : i64) (s7 : i64) -> (r : i64) =
  let (y : [2][2][2][2][2][2][2][2][1]i64) = flat x[0 + {(2 : s0) (2 : s1) (2 : s2) (2 : s3) (2 : s4) (2 : s5) (2 : s6) (2 : s7) (1 : 7)}]
  let (z : i64) = y[0, 0, 0, 0, 0, 0, 0, 0, 0]
  in (z)
