-- T-PERMUTE: (0, 0) is not a permutation of two dimensions
entry f [n] (x : [n][n]f32) -> (r : i64) =
  let (y : [n][n]f32) = permute (0, 0) x
  in (n)
