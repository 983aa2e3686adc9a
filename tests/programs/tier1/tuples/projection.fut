-- `t.0`, chains of projections, and projection from calls and array elements.
-- ==
-- entry: pick
-- input { 5 6i64 } output { 6i64 5 true }

-- ==
-- entry: from_arrays
-- input { [3, 1, 2] } output { 3 [4i64, 2i64, 0i64] }
-- input { [9] } output { 9 [0i64] }

-- ==
-- entry: divmod
-- input { -7 2 } output { -8 }

def both (a: i32) (b: i64) = ((a, b), true)
entry pick (a: i32) (b: i64) =
  let t = both a b
  in (t.0.1, (both a b).0.0, t.1)

entry from_arrays [n] (xs: [n]i32) =
  let ys = zip xs (reverse (iota n))
  let first = ys[0]
  in (first.0, map (\(y : (i32, i64)) -> y.1 * 2) ys)

entry divmod (x: i32) (y: i32) =
  let qr = (x / y, x % y)
  in qr.0 * y * qr.1
