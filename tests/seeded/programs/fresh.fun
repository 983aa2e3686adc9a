-- Every fresh array; some are updated in place.
entry main [n] (a : [n]i32) -> (r : [2 * n]i32) (s : [n][n]i32) =
  let (x : [n]i32) = iota [n] 5i32 2i32
  let (y : [n]i32) = copy a
  let (z : [n]i32) = y with [0 : n] = x
  let (one : [1]i32) = [3i32] : i32
  let (w : [n]i32) = z with [0 : 1] = one
  let (c : [2 * n]i32) = concat 0 w a
  let (rep : [n][n]i32) = replicate [n] x
  let (is : [1]i64) = [0] : i64
  let (vs : [1][n]i32) = replicate [1] a
  let (sc : [n][n]i32) = scatter rep is vs
  in (c, sc)
