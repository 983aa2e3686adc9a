-- T-RESULT: the first result of a hist's body is a bucket, an i64
entry f [n] (xs : [n]i32) (h : *[10]i32) -> (r : [10]i32) =
  let (g : [10]i32) = kernel i < n hist (h) (\ (a : i32) (b : i32) ->
    let (c : i32) = a + b
    in (c)) (0i32) do
    let (x : i32) = xs[i]
    in (x, 1i32)
  in (g)
