-- What may be consumed.
entry parameter [n] (x : *[n]i64) -> (r : [n]i64) =
  let (first : [1]i64) = x[0 : 1]
  let (e : i64) = first[0]
  let (y : [n]i64) = x with [1] = e
  in (y)

entry branches [n] (x : *[n]i64) (y : [n]i64) (c : bool) -> (r : i64) =
  let (z : [n]i64) = if c then
      let (x1 : [n]i64) = x with [0] = 1
      in (x1)
    else
      let (x2 : [n]i64) = x with [0] = 2
      in (x2)
  let (z1 : [n]i64) = z with [0] = 3
  let (e : i64) = y[0]
  in (e)

-- What one branch consumes and the other hands back, the result inherits.
entry inherited [n] (x : *[n]i64) (c : bool) -> (r : [n]i64) =
  let (z : [n]i64) = if c then
      let (x1 : [n]i64) = x with [0] = 1
      in (x1)
    else in (x)
  let (z1 : [n]i64) = z with [0] = 3
  in (z1)

-- One branch's result is y, the other's x: consuming both at once is fine.
entry either [n] (x : *[n]i64) (y : *[n]i64) (c : bool) -> (r : [n]i64) =
  let (z : [n]i64) = if c then in (x) else in (y)
  let (z1 : [n]i64) = z with [0] = 3
  in (z1)

entry in_loop [n] (x : *[n]i64) (y : [n]i64) -> (r : [n]i64) (s : [n]i64) =
  let (k : i64) (r1 : [n]i64) (last : [n]i64) =
    loop (k1 : i64) = 0, (a : *[n]i64) = x, (b : [n]i64) = y for i < n do
      let (e : i64) = b[i]
      let (a1 : [n]i64) = a with [i] = e
      let (b1 : [n]i64) = iota [n] k1 1
      in (e, a1, b1)
  in (r1, last)

-- A view may be consumed, if its source is not used any more.
entry views [n] (x : *[n][n]i64) (row : [n]i64) -> (r : [n][n]i64) =
  let (t : [n][n]i64) = permute (1, 0) x
  let (t1 : [n][n]i64) = t with [0, 0 : n] = row
  in (t1)

-- Without *, parameters may be exchanged, and results alias all initial values.
entry rotation [n] (x : *[n]i64) (y : *[n]i64) (z : *[n]i64) (w : *[n]i64) -> (r : i64) =
  let (a : [n]i64) (b : [n]i64) (c : [n]i64) =
    loop (a1 : [n]i64) = x, (b1 : [n]i64) = y, (c1 : [n]i64) = z for i < n do in (b1, c1, a1)
  let (w1 : [n]i64) = w with [0] = 1
  let (e : i64) = a[0]
  in (e)

-- Each iteration and each call has its own arrays.
entry own [n] (x : [n]i64) (h : *[n][2]i64) -> (r : [n]i64) =
  let (y : [n]i64) = kernel i < n do
    let (a : [4]i64) = iota [4] 0 1
    let (b : [4]i64) = a with [0] = i
    let (e : i64) = b[0]
    in (e)
  let (zero : [2]i64) = replicate [2] 0
  let (s : [2]i64) = kernel i2 < n reduce (\ (p : [2]i64) (q : [2]i64) ->
    let (p1 : [2]i64) = p with [0 : 2] = q
    in (p1)) (zero) do
    let (pair : [2]i64) = replicate [2] i2
    in (pair)
  let (g : [n][2]i64) = kernel i3 < n, j3 < 2 hist (h) (\ (p3 : i64) (q3 : i64) -> in (q3)) (0) do
    let (f : i64) = y[i3]
    in (f, j3)
  let (g1 : [n][2]i64) = g with [0, 0] = 1
  in (y)

-- Two arrays that are updated are exchanged in each iteration.
entry exchange [n] (x : *[n]i64) (y : *[n]i64) -> (r : [n]i64) (s : [n]i64) =
  let (z : [n]i64) (w : [n]i64) = loop (a : *[n]i64) = x, (b : *[n]i64) = y for i < n do
    let (c : [n]i64) = b with [i] = i
    in (c, a)
  in (z, w)
