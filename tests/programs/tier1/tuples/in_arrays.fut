-- Arrays of tuples: indexing, updating, comparing and reducing them.
-- ==
-- entry: centroid
-- input { [0.0, 2.0, 4.0] [1.0, 1.0, 4.0] } output { 2.0 2.0 }
-- input { [5.0] [-5.0] } output { 5.0 -5.0 }

-- ==
-- entry: swap_at
-- input { [1, 2, 3] [true, false, false] 0i64 2i64 } output { [3, 2, 1] [false, false, true] }
-- input { [1] [true] 0i64 0i64 } output { [1] [true] }

-- ==
-- entry: same
-- input { [1, 2] [1, 2] } output { [true, true] }
-- input { [1, 2] [1, -2] } output { [true, false] }

entry centroid [n] (xs: [n]f64) (ys: [n]f64) =
  let (sx, sy) = reduce (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) (zip xs ys)
  in (sx / f64.i64 n, sy / f64.i64 n)

entry swap_at [n] (xs: [n]i32) (bs: [n]bool) (i: i64) (j: i64) =
  let ps = copy (zip xs bs)
  let a = ps[i]
  let b = ps[j]
  let ps[i] = b
  let ps[j] = a
  in unzip ps

entry same [n] (xs: [n]i32) (ys: [n]i32) =
  map2 (\p q -> p == q) (zip xs (iota n)) (zip ys (iota n))
