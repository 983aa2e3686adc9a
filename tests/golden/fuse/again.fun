entry bits [n] (xs : [n]i32) -> (r : [n]i64) =
  let (ones : [n]i64) =
    kernel i < n do
      let (x : i32) = xs[i]
      let (y : i32) = x & 1i32
      let (z : i64) = i64(y)
      in (z)
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = ones[j1]
      in (u1)
  let (s : i64) =
    kernel j2 < n reduce
      (\(a2 : i64) (b2 : i64) ->
        let (c2 : i64) = a2 + b2
        in (c2)) (0)
    do
      let (u2 : i64) = ones[j2]
      in (u2)
  let (at : [n]i64) =
    kernel k < n do
      let (u : i64) = ones[k]
      let (v : i64) = upto[k]
      let (p : i64) = u * v
      let (w : i64) = p + s
      in (w)
  in (at)

entry sums [n] (xs : [n]i64) (ys : [n]i64) -> (r : [n]i64) (t : i64) =
  let (both : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = ys[i]
      let (z : i64) = x + y
      in (z)
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = both[j1]
      in (u1)
  let (s : i64) =
    kernel j2 < n reduce
      (\(a2 : i64) (b2 : i64) ->
        let (c2 : i64) = a2 + b2
        in (c2)) (0)
    do
      let (u2 : i64) = both[j2]
      in (u2)
  in (upto, s)

entry halves [n] (xs : [n]i64) -> (r : [n]i64) (t : i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (z : i64) = x / 2
      in (z)
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = ys[j1]
      in (u1)
  let (s : i64) =
    kernel j2 < n reduce
      (\(a2 : i64) (b2 : i64) ->
        let (c2 : i64) = a2 + b2
        in (c2)) (0)
    do
      let (u2 : i64) = ys[j2]
      in (u2)
  in (upto, s)

entry backwards [n] (xs : [n]i32) -> (r : [n]i64) (t : i64) =
  let (ones : [n]i64) =
    kernel i < n do
      let (x : i32) = xs[i]
      let (z : i64) = i64(x)
      in (z)
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = ones[-j1 + n - 1]
      in (u1)
  let (s : i64) =
    kernel j2 < n reduce
      (\(a2 : i64) (b2 : i64) ->
        let (c2 : i64) = a2 + b2
        in (c2)) (0)
    do
      let (u2 : i64) = ones[j2]
      in (u2)
  in (upto, s)

entry consumed [n] (xs : *[n]i64) -> (r : [n]i64) (q : [n]i64) (t : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (z : i64) = x + 7
      in (z)
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = ys[j1]
      in (u1)
  let (none : [n]i64) = replicate [n] 0
  let (zs : [n]i64) = xs with [0 : n] = none
  let (down : [n]i64) =
    kernel j2 < n scan
      (\(a2 : i64) (b2 : i64) ->
        let (c2 : i64) = a2 * b2
        in (c2)) (0)
    do
      let (u2 : i64) = ys[j2]
      in (u2)
  in (upto, down, zs)

-- fuse,simplify -->

entry bits [n] (xs : [n]i32) -> (r : [n]i64) =
  let (s : i64) =
    kernel j2 < n reduce
      (\(a2 : i64) (b2 : i64) ->
        let (c2 : i64) = a2 + b2
        in (c2)) (0)
    do
      let (x_2 : i32) = xs[j2]
      let (y_2 : i32) = x_2 & 1i32
      let (z_2 : i64) = i64(y_2)
      in (z_2)
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (x_1 : i32) = xs[j1]
      let (y_1 : i32) = x_1 & 1i32
      let (z_1 : i64) = i64(y_1)
      in (z_1)
  let (at : [n]i64) =
    kernel i < n do
      let (x : i32) = xs[i]
      let (y : i32) = x & 1i32
      let (z : i64) = i64(y)
      let (v : i64) = upto[i]
      let (p : i64) = z * v
      let (w : i64) = p + s
      in (w)
  in (at)

entry sums [n] (xs : [n]i64) (ys : [n]i64) -> (r : [n]i64) (t : i64) =
  let (both : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (y : i64) = ys[i]
      let (z : i64) = x + y
      in (z)
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = both[j1]
      in (u1)
  let (s : i64) =
    kernel j2 < n reduce
      (\(a2 : i64) (b2 : i64) ->
        let (c2 : i64) = a2 + b2
        in (c2)) (0)
    do
      let (u2 : i64) = both[j2]
      in (u2)
  in (upto, s)

entry halves [n] (xs : [n]i64) -> (r : [n]i64) (t : i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (z : i64) = x / 2
      in (z)
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = ys[j1]
      in (u1)
  let (s : i64) =
    kernel j2 < n reduce
      (\(a2 : i64) (b2 : i64) ->
        let (c2 : i64) = a2 + b2
        in (c2)) (0)
    do
      let (u2 : i64) = ys[j2]
      in (u2)
  in (upto, s)

entry backwards [n] (xs : [n]i32) -> (r : [n]i64) (t : i64) =
  let (ones : [n]i64) =
    kernel i < n do
      let (x : i32) = xs[i]
      let (z : i64) = i64(x)
      in (z)
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = ones[-j1 + n - 1]
      in (u1)
  let (s : i64) =
    kernel j2 < n reduce
      (\(a2 : i64) (b2 : i64) ->
        let (c2 : i64) = a2 + b2
        in (c2)) (0)
    do
      let (u2 : i64) = ones[j2]
      in (u2)
  in (upto, s)

entry consumed [n] (xs : *[n]i64) -> (r : [n]i64) (q : [n]i64) (t : [n]i64) =
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (z : i64) = x + 7
      in (z)
  let (none : [n]i64) = replicate [n] 0
  let (zs : [n]i64) = xs with [0 : n] = none
  let (upto : [n]i64) (down : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (a2 : i64) (b1 : i64) (b2 : i64) ->
        let (c1 : i64) = a1 + b1
        let (c2 : i64) = a2 * b2
        in (c1, c2)) (0, 0)
    do
      let (u1 : i64) = ys[j1]
      in (u1, u1)
  in (upto, down, zs)
-- fuse: both (again.fun:28:3): (5) the array has no other uses, or the consumer can make it as well: the array has other uses, and the consumer is not a map
-- fuse: both (again.fun:28:3): (5) the array has no other uses, or the consumer can make it as well: the array is used before the consumer
-- fuse: ys (again.fun:47:3): (5) the array has no other uses, or the consumer can make it as well: the array has other uses, and the consumer is not a map
-- fuse: ys (again.fun:47:3): (5) the array has no other uses, or the consumer can make it as well: the array is used before the consumer
-- fuse: ones (again.fun:65:3): (5) the array has no other uses, or the consumer can make it as well: the array has other uses, and the consumer is not a map
-- fuse: ones (again.fun:65:3): (5) the array has no other uses, or the consumer can make it as well: the array is used before the consumer
-- fuse: ys (again.fun:83:3): (4) the producer's operands are not consumed before the consumer: xs is consumed, and the producer reads it
