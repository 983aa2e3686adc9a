-- A histogram into buckets that are not empty; some values lie outside.
entry main [n] [w] (h : *[w]i32) (xs : [n]i64) -> (r : [w]i32) =
  let (s : [w]i32) = kernel i < n hist (h) (\ (a : i32) (b : i32) ->
    let (c : i32) = a + b
    in (c)) (0i32) do
    let (x : i64) = xs[i]
    in (x, 1i32)
  in (s)
