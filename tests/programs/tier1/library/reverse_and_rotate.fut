-- reverse, and rotate by any amount in either direction.
-- ==
-- entry: backwards
-- input { [1, 2, 3] } output { [3, 2, 1] [[3, 0], [2, 1], [1, 2]] }
-- input { [1] } output { [1] [[1, 0]] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0][2]i32) }

-- ==
-- entry: turn
-- input { [1, 2, 3, 4] 1i64 } output { [2, 3, 4, 1] }
-- input { [1, 2, 3, 4] -1i64 } output { [4, 1, 2, 3] }
-- input { [1, 2, 3, 4] 0i64 } output { [1, 2, 3, 4] }
-- input { [1, 2, 3, 4] 4i64 } output { [1, 2, 3, 4] }
-- input { [1, 2, 3, 4] 5i64 } output { [2, 3, 4, 1] }
-- input { [1, 2, 3, 4] -6i64 } output { [3, 4, 1, 2] }
-- input { [9] 3i64 } output { [9] }
-- input { empty([0]i32) 3i64 } output { empty([0]i32) }

-- ==
-- entry: rows
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[4, 5, 6], [1, 2, 3]] [[2, 3, 1], [5, 6, 4]] [[3, 2, 1], [6, 5, 4]] }

entry backwards [n] (xs: [n]i32) = (reverse xs, reverse (map2 (\x i -> [x, i32.i64 i]) xs (reverse (indices xs))))
entry turn [n] (xs: [n]i32) (k: i64) = rotate k xs
entry rows [n] [m] (xss: [n][m]i32) = (rotate 1 xss, map (rotate 1) xss, map reverse xss)
