-- T-SIZE: a size of the kernel's body in its operator
entry f [n] (x : [n][n]i64) -> (r : i64) =
  let (y : [n]i64) = kernel j < n, i < n reduce (\ (a : i64) (b : i64) ->
    let (z : [i]i64) = iota [i] 0 1
    in (a)) (0) do
    let (e : i64) = x[j, i]
    in (e)
  in (n)
