entry split [n] (xs : [n]i64) -> (r : [n]i64) =
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = xs[j1]
      in (u1)
  let (some : bool) = n > 0
  let (total : i64) =
    if some then
      let (k : i64) = n - 1
      let (v : i64) = upto[k]
      in (v)
    else
      in (0)
  let (at : [n]i64) =
    kernel k1 < n do
      let (u : i64) = upto[k1]
      let (w : i64) = total - u
      in (w)
  in (at)

entry first [n] (xs : [n]i64) -> (r : [n]i64) (t : i64) =
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = xs[j1]
      in (u1)
  let (some : bool) = n > 0
  let (v : i64) =
    if some then
      let (v_1 : i64) = upto[0]
      in (v_1)
    else
      in (0)
  in (upto, v)

entry missing [n] (xs : [n]i64) -> (r : [n]i64) (t : i64) =
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = xs[j1]
      in (u1)
  let (k : i64) = n - 1
  let (v : i64) = upto[k]
  in (upto, v)

entry rounded [n] (xs : [n]f32) -> (r : [n]f32) (t : f32) =
  let (upto : [n]f32) =
    kernel j1 < n scan
      (\(a1 : f32) (b1 : f32) ->
        let (c1 : f32) = a1 + b1
        in (c1)) (0.0f32)
    do
      let (u1 : f32) = xs[j1]
      in (u1)
  let (some : bool) = n > 0
  let (v : f32) =
    if some then
      let (k : i64) = n - 1
      let (v_1 : f32) = upto[k]
      in (v_1)
    else
      in (0.0f32)
  in (upto, v)

entry updated [n] (xs : *[n]i64) -> (r : [n]i64) (t : [n]i64) =
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = xs[j1]
      in (u1)
  let (none : [n]i64) = replicate [n] 0
  let (zs : [n]i64) = xs with [0 : n] = none
  let (at : [n]i64) =
    kernel k1 < n do
      let (u : i64) = upto[k1]
      let (w : i64) = u * 3
      in (w)
  in (at, zs)

-- fuse,simplify -->

entry split [n] (xs : [n]i64) -> (r : [n]i64) =
  let (total_1 : i64) =
    kernel j1_1 < n reduce
      (\(a1_1 : i64) (b1_1 : i64) ->
        let (c1_1 : i64) = a1_1 + b1_1
        in (c1_1)) (0)
    do
      let (u1_1 : i64) = xs[j1_1]
      in (u1_1)
  let (some : bool) = n > 0
  let (total : i64) =
    if some then
      in (total_1)
    else
      in (0)
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = xs[j1]
      in (u1)
  let (at : [n]i64) =
    kernel k1 < n do
      let (u : i64) = upto[k1]
      let (w : i64) = total - u
      in (w)
  in (at)

entry first [n] (xs : [n]i64) -> (r : [n]i64) (t : i64) =
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = xs[j1]
      in (u1)
  let (some : bool) = n > 0
  let (v : i64) =
    if some then
      let (v_1 : i64) = upto[0]
      in (v_1)
    else
      in (0)
  in (upto, v)

entry missing [n] (xs : [n]i64) -> (r : [n]i64) (t : i64) =
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = xs[j1]
      in (u1)
  let (v : i64) = upto[n - 1]
  in (upto, v)

entry rounded [n] (xs : [n]f32) -> (r : [n]f32) (t : f32) =
  let (upto : [n]f32) =
    kernel j1 < n scan
      (\(a1 : f32) (b1 : f32) ->
        let (c1 : f32) = a1 + b1
        in (c1)) (0.0f32)
    do
      let (u1 : f32) = xs[j1]
      in (u1)
  let (some : bool) = n > 0
  let (v : f32) =
    if some then
      let (v_1 : f32) = upto[n - 1]
      in (v_1)
    else
      in (0.0f32)
  in (upto, v)

entry updated [n] (xs : *[n]i64) -> (r : [n]i64) (t : [n]i64) =
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = xs[j1]
      in (u1)
  let (none : [n]i64) = replicate [n] 0
  let (zs : [n]i64) = xs with [0 : n] = none
  let (at : [n]i64) =
    kernel k1 < n do
      let (u : i64) = upto[k1]
      let (w : i64) = u * 3
      in (w)
  in (at, zs)
