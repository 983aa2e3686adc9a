-- T-PROG: no argument carries n
entry f [n] (x : [2 * n]f32) -> (r : i64) =
  in (n)
