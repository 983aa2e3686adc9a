-- The operator gives back its accumulator reversed.
entry main [n] [m] (a : [n][m]i32) -> (r : [m]i32) =
  let (start : [m]i32) = iota [m] 0i32 1i32
  let (p : [m]i32) = kernel i < n + 1 reduce (\ (x : [m]i32) (y : [m]i32) ->
    let (z : [m]i32) = reverse 0 x
    in (z)) (start) do
    in (start)
  in (p)
