-- (S2) A scan and the map that follows it and reads it, in the same loops.
entry gone [n] (xs : [n]i64) -> (r : [n]i64) =
  let (upto : [n]i64) = kernel j1 < n scan (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = xs[j1]
    in (u1)
  let (at : [n]i64) = kernel k1 < n do
    let (u : i64) = upto[k1]
    let (x : i64) = xs[k1]
    let (odd : bool) = x > 1
    let (p : i64) = u - k1
    let (w : i64) = if odd then in (u) else in (p)
    in (w)
  in (at)

entry stored [n] (xs : [n]i64) -> (r : [n]i64) (q : [n]i64) (o : [n]bool) =
  let (upto : [n]i64) = kernel j1 < n scan (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = xs[j1]
    in (u1)
  let (at : [n]i64) (less : [n]bool) = kernel k1 < n do
    let (u : i64) = upto[k1]
    let (w : i64) = u * 3
    let (l : bool) = u < k1
    in (w, l)
  in (upto, at, less)

-- Not so: the map may trap, or reads another element.
entry divides [n] (xs : [n]i64) (d : i64) -> (r : [n]i64) =
  let (upto : [n]i64) = kernel j1 < n scan (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = xs[j1]
    in (u1)
  let (at : [n]i64) = kernel k1 < n do
    let (u : i64) = upto[k1]
    let (w : i64) = u / d
    in (w)
  in (at)

entry backwards [n] (xs : [n]i64) -> (r : [n]i64) =
  let (upto : [n]i64) = kernel j1 < n scan (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = xs[j1]
    in (u1)
  let (at : [n]i64) = kernel k1 < n do
    let (u : i64) = upto[n - 1 - k1]
    in (u)
  in (at)

-- A reduction is the first pass of a scan of the same values, and not of others.
entry same [n] (xs : [n]i64) -> (r : [n]i64) (t : i64) =
  let (total : i64) = kernel j1 < n reduce (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = xs[j1]
    in (u1)
  let (upto : [n]i64) = kernel j2 < n scan (\ (a2 : i64) (b2 : i64) ->
    let (c2 : i64) = a2 + b2
    in (c2)) (0) do
    let (u2 : i64) = xs[j2]
    in (u2)
  let (at : [n]i64) = kernel k1 < n do
    let (u : i64) = upto[k1]
    let (w : i64) = total - u
    in (w)
  in (at, total)

entry others [n] (xs : [n]i64) (ys : [n]i64) -> (r : [n]i64) (t : i64) =
  let (total : i64) = kernel j1 < n reduce (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = xs[j1]
    in (u1)
  let (upto : [n]i64) = kernel j2 < n scan (\ (a2 : i64) (b2 : i64) ->
    let (c2 : i64) = a2 + b2
    in (c2)) (0) do
    let (u2 : i64) = ys[j2]
    in (u2)
  in (upto, total)

entry scanned_only [n] (xs : [n]i64) -> (r : [n]i64) (t : i64) =
  let (total : i64) = kernel j1 < n reduce (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = xs[j1]
    in (u1)
  let (upto : [n]i64) = kernel j2 < n scan (\ (a2 : i64) (b2 : i64) ->
    let (c2 : i64) = a2 + b2
    in (c2)) (0) do
    let (u2 : i64) = xs[j2]
    in (u2)
  in (upto, total)
