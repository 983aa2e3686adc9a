-- Elements that were never written are read by no iteration, so (S2) must not read them either.
-- A bucket that has no value, and that no iteration names.
entry untouched [n] (xs : [n]i64) -> (r : i64) =
  let (h0 : [2]i64) = scratch [2]i64
  let (h : [2]i64) = h0 with [0] = 5
  let (s : [2]i64) (d : [n]i64) = kernel i < n hist (h) (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    let (x : i64) = xs[i]
    in (0, x, x)
  let (v : i64) = s[0]
  in (v)

-- A neutral element without values where there is no iteration, and nothing to fold it with.
entry neutral [n] (xs : [n]i64) -> (r : i64) =
  let (zeros : [2]i64) = scratch [2]i64
  let (some : bool) = n > 0
  let (start : [2]i64) = if some then
    let (own : [2]i64) = replicate [2] 0
    in (own)
  else
    in (zeros)
  let (s : [2]i64) = kernel i < n reduce (\ (a : [2]i64) (b : [2]i64) ->
    let (c : [2]i64) = kernel j < 2 do
      let (d : i64) = a[j]
      let (e : i64) = b[j]
      let (f : i64) = d + e
      in (f)
    in (c)) (start) do
    let (x : i64) = xs[i]
    let (y : [2]i64) = replicate [2] x
    in (y)
  let (q : i64) = if some then
    let (v : i64) = s[1]
    in (v)
  else
    in (0)
  in (q)

entry last [n] (xs : [n]i64) -> (r : i64) =
  let (zeros : [2]i64) = scratch [2]i64
  let (some : bool) = n > 0
  let (start : [2]i64) = if some then
    let (own : [2]i64) = replicate [2] 0
    in (own)
  else
    in (zeros)
  let (s : [n][2]i64) = kernel i < n scan (\ (a : [2]i64) (b : [2]i64) ->
    let (c : [2]i64) = kernel j < 2 do
      let (d : i64) = a[j]
      let (e : i64) = b[j]
      let (f : i64) = d + e
      in (f)
    in (c)) (start) do
    let (x : i64) = xs[i]
    let (y : [2]i64) = replicate [2] x
    in (y)
  let (q : i64) = if some then
    let (v : i64) = s[n - 1, 1]
    in (v)
  else
    in (0)
  in (q)

-- The neutral element of a histogram.
entry counted [n] [w] (h : *[w][2]i64) (xs : [n]i64) -> (r : [w][2]i64) =
  let (zeros : [2]i64) = scratch [2]i64
  let (s : [w][2]i64) = kernel i < n hist (h) (\ (a : [2]i64) (b : [2]i64) ->
    let (c : [2]i64) = kernel j < 2 do
      let (d : i64) = a[j]
      let (e : i64) = b[j]
      let (f : i64) = d + e
      in (f)
    in (c)) (zeros) do
    let (x : i64) = xs[i]
    let (y : [2]i64) = replicate [2] x
    in (x, y)
  in (s)
