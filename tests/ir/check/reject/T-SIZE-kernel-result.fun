-- T-SIZE: only if and loop bind a size in the pattern that needs it
entry f (n : i64) -> (r : i64) =
  let (k : i64) (y : [n][k]i64) = kernel i < n reduce (\ (a : i64) (b : i64) -> in (a)) (0) do
    let (z : [4]i64) = iota [4] 0 1
    in (4, z)
  in (n)
