-- T-CONSUME: the caller keeps x, and so its reshape
entry f [n] (x : [n]i64) -> (r : i64) =
  let (v : [n][1]i64) = reshape [n][1] x
  let (y : [n][1]i64) = v with [0, 0] = 1
  in (n)
