-- Cheap elements are computed again by each of several kernels that read them (F3).
entry bits [n] (xs : [n]i32) -> (r : [n]i64) =
  let (ones : [n]i64) = kernel i < n do
    let (x : i32) = xs[i]
    let (y : i32) = x & 1i32
    let (z : i64) = i64(y)
    in (z)
  let (upto : [n]i64) = kernel j1 < n scan (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = ones[j1]
    in (u1)
  let (s : i64) = kernel j2 < n reduce (\ (a2 : i64) (b2 : i64) ->
    let (c2 : i64) = a2 + b2
    in (c2)) (0) do
    let (u2 : i64) = ones[j2]
    in (u2)
  let (at : [n]i64) = kernel k < n do
    let (u : i64) = ones[k]
    let (v : i64) = upto[k]
    let (p : i64) = u * v
    let (w : i64) = p + s
    in (w)
  in (at)

-- Two elements are read for each one, so the array is stored.
entry sums [n] (xs : [n]i64) (ys : [n]i64) -> (r : [n]i64) (t : i64) =
  let (both : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (y : i64) = ys[i]
    let (z : i64) = x + y
    in (z)
  let (upto : [n]i64) = kernel j1 < n scan (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = both[j1]
    in (u1)
  let (s : i64) = kernel j2 < n reduce (\ (a2 : i64) (b2 : i64) ->
    let (c2 : i64) = a2 + b2
    in (c2)) (0) do
    let (u2 : i64) = both[j2]
    in (u2)
  in (upto, s)

-- A quotient takes longer than reading it.
entry halves [n] (xs : [n]i64) -> (r : [n]i64) (t : i64) =
  let (ys : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (z : i64) = x / 2
    in (z)
  let (upto : [n]i64) = kernel j1 < n scan (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = ys[j1]
    in (u1)
  let (s : i64) = kernel j2 < n reduce (\ (a2 : i64) (b2 : i64) ->
    let (c2 : i64) = a2 + b2
    in (c2)) (0) do
    let (u2 : i64) = ys[j2]
    in (u2)
  in (upto, s)

-- One of the consumers reads the elements in another order.
entry backwards [n] (xs : [n]i32) -> (r : [n]i64) (t : i64) =
  let (ones : [n]i64) = kernel i < n do
    let (x : i32) = xs[i]
    let (z : i64) = i64(x)
    in (z)
  let (upto : [n]i64) = kernel j1 < n scan (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = ones[n - 1 - j1]
    in (u1)
  let (s : i64) = kernel j2 < n reduce (\ (a2 : i64) (b2 : i64) ->
    let (c2 : i64) = a2 + b2
    in (c2)) (0) do
    let (u2 : i64) = ones[j2]
    in (u2)
  in (upto, s)

-- What the producer reads is updated before the second consumer.
entry consumed [n] (xs : *[n]i64) -> (r : [n]i64) (q : [n]i64) (t : [n]i64) =
  let (ys : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (z : i64) = x + 7
    in (z)
  let (upto : [n]i64) = kernel j1 < n scan (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = ys[j1]
    in (u1)
  let (none : [n]i64) = replicate [n] 0
  let (zs : [n]i64) = xs with [0 : n] = none
  let (down : [n]i64) = kernel j2 < n scan (\ (a2 : i64) (b2 : i64) ->
    let (c2 : i64) = a2 * b2
    in (c2)) (0) do
    let (u2 : i64) = ys[j2]
    in (u2)
  in (upto, down, zs)
