-- Nothing is folded, so nobody reads the neutral element, which was never written.
entry main [n] (xs : [n]i64) -> (r : i64) =
  let (zeros : [2]i64) = scratch [2]i64
  let (s : [2]i64) = kernel i < n reduce (\ (a : [2]i64) (b : [2]i64) ->
    let (c : [2]i64) = kernel j < 2 do
      let (d : i64) = a[j]
      let (e : i64) = b[j]
      let (f : i64) = d + e
      in (f)
    in (c)) (zeros) do
    let (x : i64) = xs[i]
    let (y : [2]i64) = replicate [2] x
    in (y)
  in (n)
