-- The first iteration divides by zero before it makes a row of negative size.
entry main (m : i64) (p : i64) (z : i64) -> (r : [3]i64) =
  let (s : [3]i64) = kernel i < 3 do
    let (t : i64) (w : [m][p]i64) = kernel j < m reduce (\ (a : i64) (b : i64) ->
      let (c : i64) = a + b
      in (c)) (0) do
      let (d : i64) = j / z
      let (q : [p]i64) = replicate [p] d
      in (d, q)
    let (u : i64) = w[0, 0]
    let (x : i64) = t + u
    in (x)
  in (s)
