-- length, null, head, last, tail, init, take, drop and split.
-- ==
-- entry: ends
-- input { [4, 5, 6] } output { 4 6 [5, 6] [4, 5] 3i64 false }
-- input { [4] } output { 4 4 empty([0]i32) empty([0]i32) 1i64 false }

-- ==
-- entry: empty
-- input { empty([0]i32) } output { 0i64 true }
-- input { [1] } output { 1i64 false }

-- ==
-- entry: cut
-- input { [1, 2, 3, 4] 1i64 } output { [1] [2, 3, 4] }
-- input { [1, 2, 3, 4] 0i64 } output { empty([0]i32) [1, 2, 3, 4] }
-- input { [1, 2, 3, 4] 4i64 } output { [1, 2, 3, 4] empty([0]i32) }
-- input { empty([0]i32) 0i64 } output { empty([0]i32) empty([0]i32) }

-- ==
-- entry: halves
-- input { [1, 2, 3, 4] } output { [1, 2] [3, 4] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }

-- ==
-- entry: of_rows
-- input { [[1, 2], [3, 4], [5, 6]] } output { [1, 2] [5, 6] [[3, 4], [5, 6]] [[1], [3], [5]] [[2], [4], [6]] }

entry ends [n] (xs: [n]i32) = (head xs, last xs, tail xs, init xs, length xs, null xs)
entry empty [n] (xs: [n]i32) = (length xs, null xs)
entry cut [n] (xs: [n]i32) (i: i64) = (take i xs, drop i xs)
entry halves (xs: []i32) : ([]i32, []i32) =
  let half = length xs / 2
  in split (sized (half + half) xs) : ([half]i32, [half]i32)
entry of_rows [n] (xss: [n][2]i32) = (head xss, last xss, tail xss, map (take 1) xss, map (drop 1) xss)
