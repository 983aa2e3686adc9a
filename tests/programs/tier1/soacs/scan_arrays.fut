-- Scans whose elements are rows or small matrices.
-- ==
-- entry: down
-- input { [[1, 2], [3, 4], [5, 6]] } output { [[1, 2], [4, 6], [9, 12]] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) }
-- input { empty([2][0]i32) } output { empty([2][0]i32) }

-- ==
-- entry: across
-- input { [[1, 2], [3, 4], [5, 6]] } output { [[1, 3], [3, 7], [5, 11]] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) }

-- ==
-- entry: summed_area
-- input { [[1, 1, 1], [1, 1, 1]] } output { [[1, 2, 3], [2, 4, 6]] }

-- ==
-- entry: fibonacci
-- input { 6i64 } output { [1i64, 1i64, 2i64, 3i64, 5i64, 8i64] }
-- input { 0i64 } output { empty([0]i64) }

entry down [n] [m] (xss: [n][m]i32) = scan (map2 (+)) (replicate m 0) xss
entry across [n] [m] (xss: [n][m]i32) = map (scan (+) 0) xss
entry summed_area [n] [m] (xss: [n][m]i32) = map (scan (+) 0) xss |> scan (map2 (+)) (replicate m 0)

def mul ((a, b, c, d): (i64, i64, i64, i64)) ((e, f, g, h): (i64, i64, i64, i64)) =
  (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
entry fibonacci (n: i64) =
  map (\(_, b, _, _) -> b) (scan mul (1, 0, 0, 1) (replicate n (1, 1, 1, 0)))
