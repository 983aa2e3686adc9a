-- Where n is 0 nobody looks at m; where m is 0 nobody divides.
entry main [n] (xs : [n]i64) (m : i64) -> (r : [n]i64) (q : i64) =
  let (s : [n]i64) = kernel i < n do
    let (t : i64) = kernel j < m reduce (\ (a : i64) (b : i64) ->
      let (c : i64) = a + b
      in (c)) (0) do
      let (x : i64) = i * j
      in (x)
    in (t)
  in (s, m)
