-- The same for a histogram.
entry main [n] (xs : [n][0]i8) (h : *[1]i64) (z : i64) -> (r : [1]i64) =
  let (s : [1]i64) = kernel i < 4 * n hist (h) (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    let (d : i64) = i / z
    in (i, d)
  in (s)
