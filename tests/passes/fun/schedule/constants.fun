-- What is folded is a constant that an operator takes for a size: it traps once there is something.
entry folded [n] (xs : [n]i64) -> (r : i64) =
  let (s : i64) = kernel i < n reduce (\ (a : i64) (b : i64) ->
    let (x : [b]i64) = replicate [b] 1
    let (c : i64) = a + b
    in (c)) (0) do
    in (-1)
  in (s)

entry inside [n] (xs : [n]i64) -> (r : i64) =
  let (s : i64) = kernel i < n reduce (\ (a : i64) (b : i64) ->
    let (c : i64) = loop (e : i64) = a for j < 2 do
      let (x : [b + 1]i64) = kernel k < b + 1 do
        in (e)
      let (y : [1 - b]i64) = iota [1 - b] e 1
      let (z : i64) = y[0]
      in (z)
    let (d : i64) = c + b
    in (d)) (0) do
    in (-2)
  in (s)

entry scanned [n] (xs : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) = kernel i < n scan (\ (a : i64) (b : i64) ->
    let (x : [b]i64) = scratch [b]i64
    let (c : i64) = a + b
    in (c)) (0) do
    in (-1)
  in (s)

entry counted [n] (h : *[1]i64) (xs : [n]i64) -> (r : [1]i64) =
  let (s : [1]i64) = kernel i < n hist (h) (\ (a : i64) (b : i64) ->
    let (x : [b][2]i64) = scratch [b][2]i64
    let (c : i64) = a + b
    in (c)) (0) do
    in (0, -1)
  in (s)
