-- `for x in xs`: over numbers, tuples and rows, with patterns.
-- ==
-- entry: alternating
-- input { [1, 2, 3, 4] } output { -2 }
-- input { [7] } output { 7 }
-- input { empty([0]i32) } output { 0 }

-- ==
-- entry: polynomial
-- input { [1.0, 2.0, 3.0] 2.0 } output { 11.0 }
-- input { empty([0]f64) 2.0 } output { 0.0 }

-- ==
-- entry: rows
-- input { [[1, 2], [3, 4], [5, 6]] } output { [9, 12] }
-- input { empty([0][2]i32) } output { [0, 0] }

-- ==
-- entry: over_range
-- input { 3i64 } output { 14i64 }

entry alternating (xs: []i32) = (loop (acc, s) = (0, 1) for x in xs do (acc + s * x, -s)).0
entry polynomial (cs: []f64) (x: f64) = loop acc = 0 for c in cs do acc * x + c
entry rows [n] [m] (xss: [n][m]i32) = loop acc = replicate m 0 for xs in xss do map2 (+) acc xs
entry over_range (n: i64) = loop acc = 0 for (i, j) in zip (1...n) (1...n) do acc + i * j
