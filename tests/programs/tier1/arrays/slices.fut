-- Slices with open ends, and their corner cases at both ends and on empty arrays.
-- ==
-- entry: ends
-- input { [1, 2, 3, 4] 1i64 3i64 } output { [2, 3] [2, 3, 4] [1, 2, 3] [1, 2, 3, 4] }
-- input { [1, 2, 3, 4] 0i64 4i64 } output { [1, 2, 3, 4] [1, 2, 3, 4] [1, 2, 3, 4] [1, 2, 3, 4] }
-- input { [1, 2, 3, 4] 2i64 2i64 } output { empty([0]i32) [3, 4] [1, 2] [1, 2, 3, 4] }
-- input { [1, 2, 3, 4] 4i64 4i64 } output { empty([0]i32) empty([0]i32) [1, 2, 3, 4] [1, 2, 3, 4] }
-- input { empty([0]i32) 0i64 0i64 } output { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }

-- ==
-- entry: lengths
-- input { [5, 6, 7] } output { 3i64 2i64 1i64 0i64 }

-- ==
-- entry: differences
-- input { [1, 4, 9, 16] } output { [3, 5, 7] }
-- input { [1] } output { empty([0]i32) }

entry ends (xs: []i32) (i: i64) (j: i64) = (xs[i:j], xs[i:], xs[:j], xs[:])
entry lengths (xs: []i32) = (length xs[0:], length xs[1:], length xs[2:3], length xs[3:])
entry differences [n] (xs: [n]i32) = map2 (-) (sized (n - 1) xs[1:]) (sized (n - 1) xs[:n - 1])
