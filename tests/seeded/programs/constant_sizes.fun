-- What is folded is a negative constant, and the operator makes an array of so many elements.
entry main [n] (xs : [n]i64) -> (r : i64) =
  let (s : i64) = kernel i < n reduce (\ (a : i64) (b : i64) ->
    let (x : [b]i64) = replicate [b] 1
    let (c : i64) = a + b
    in (c)) (0) do
    in (-1)
  in (s)
