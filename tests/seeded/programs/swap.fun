-- The operator gives back its two accumulators in the other order, one of them through a branch.
entry main [n] [m] (a : [n][m]i32) -> (r : [m]i32) (s : [m]i32) =
  let (ones : [m]i32) = replicate [m] 1i32
  let (twos : [m]i32) = replicate [m] 2i32
  let (p : [m]i32) (q : [m]i32) =
    kernel i < n + 1 reduce (\ (x : [m]i32) (y : [m]i32) (u : [m]i32) (v : [m]i32) ->
      let (first : i32) = x[0]
      let (c : bool) = first > 0i32
      let (z : [m]i32) =
        if c then
          in (x)
        else
          in (v)
      in (y, z)) (ones, twos) do
      in (ones, twos)
  in (p, q)
