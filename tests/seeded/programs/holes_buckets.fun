-- A bucket that nobody adds to was never written; nobody needs what is read there.
entry main [n] (xs : [n]i64) -> (r : i64) =
  let (h : [4]i64) = scratch [4]i64
  let (s : [4]i64) = kernel j < n hist (h) (\ (a : i64) (c : i64) ->
    let (d : i64) = a + c
    in (d)) (0) do
    let (x : i64) = xs[j]
    in (x, 1)
  let (v : i64) = s[2]
  in (n)
