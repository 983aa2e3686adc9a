-- A kernel that never ends, but whose iterations trap: so many that none is to be added to them.
entry main [n] (xs : [n][0]i8) (z : i64) -> (r : i64) =
  let (s : i64) = kernel i < n reduce (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    let (d : i64) = i / z
    in (d)
  in (s)
