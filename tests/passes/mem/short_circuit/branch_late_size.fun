-- Of two arrays that one is chosen of, the second is as long as a number read after the first is made: where it is reversed, its place needs the number, and the first one's does not.
-- done: copy of w1
-- refused: (6) update of y: may lie outside
entry main [n] (c : bool) (xs : [n]i64) -> (w2 : [10]i64) =
  let (w : [10]i64) = replicate [10] 0
  let (x1 : [4]i64) = iota [4] 0 1
  let (k0 : i64) = xs[0]
  let (k1 : i64) = max(k0, 0)
  let (k : i64) = min(k1, 6)
  let (x2 : [k]i64) = iota [k] 5 1
  let (b2 : [k]i64) = reverse 0 x2
  let (s : i64) (y : [s]i64) = if c then
      in (4, x1)
    else
      in (k, b2)
  let (w1 : [10]i64) = w with [4 : s] = y
  in (w1)
