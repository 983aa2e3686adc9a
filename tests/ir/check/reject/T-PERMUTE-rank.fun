-- T-PERMUTE: a permutation of three dimensions for two
entry f [n] (x : [n][n]f32) -> (r : i64) =
  let (y : [n][n]f32) = permute (0, 1, 2) x
  in (n)
