-- Without rows a reduction is its neutral element, which was never written.
entry main (n : i64) -> (r : i64) =
  let (g : [2]i64) = scratch [2]i64
  let (s : [2]i64) = kernel j < n reduce (\ (a : [2]i64) (c : [2]i64) ->
    let (d : [2]i64) = replicate [2] 1
    in (d)) (g) do
    let (x : [2]i64) = replicate [2] j
    in (x)
  let (v : i64) = s[1]
  in (n)
