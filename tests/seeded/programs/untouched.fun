-- A bucket that has no value, and that no iteration names.
entry main [n] (xs : [n]i64) -> (r : i64) =
  let (h0 : [2]i64) = scratch [2]i64
  let (h : [2]i64) = h0 with [0] = 5
  let (s : [2]i64) = kernel i < n hist (h) (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    let (x : i64) = xs[i]
    in (0, x)
  let (v : i64) = s[0]
  in (v)
