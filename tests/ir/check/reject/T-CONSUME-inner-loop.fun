-- T-CONSUME: the inner loop would consume x in every iteration of the outer one
entry f [n] (x : *[n]i64) -> (r : i64) =
  let (y : i64) = loop (a : i64) = 0 for i < n do
    let (z : [n]i64) = loop (b : *[n]i64) = x for j < n do
      let (c : [n]i64) = b with [j] = i
      in (c)
    let (e : i64) = z[0]
    in (e)
  in (y)
