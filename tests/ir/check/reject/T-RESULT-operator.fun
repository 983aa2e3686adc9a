-- T-RESULT: the operator gives another type than it takes
entry f [n] (xs : [n]i32) -> (r : i32) =
  let (s : i32) = kernel i < n reduce (\ (a : i32) (b : i32) ->
    let (c : bool) = a < b
    in (c)) (0i32) do
    let (x : i32) = xs[i]
    in (x)
  in (s)
