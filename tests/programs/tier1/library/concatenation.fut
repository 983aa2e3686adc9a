-- `++` and concat, also with empty arrays, rows and tuples.
-- ==
-- entry: join
-- input { [1, 2] [3] } output { [1, 2, 3] [3, 1, 2] 3i64 }
-- input { empty([0]i32) [3] } output { [3] [3] 1i64 }
-- input { [1] empty([0]i32) } output { [1] [1] 1i64 }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) empty([0]i32) 0i64 }

-- ==
-- entry: rows
-- input { [[1, 2]] [[3, 4], [5, 6]] } output { [[1, 2], [3, 4], [5, 6]] [[1, 2, 1], [3, 4, 3], [5, 6, 5]] }
-- input { empty([0][2]i32) empty([0][2]i32) } output { empty([0][2]i32) empty([0][3]i32) }

-- ==
-- entry: chain
-- input { 2i64 } output { [0i64, 1i64, 9i64, 1i64, 0i64] [1, 2, 3] [true, true, false] }

entry join (xs: []i32) (ys: []i32) = (xs ++ ys, concat ys xs, length (xs ++ ys))
entry rows [n] [k] (xss: [n][2]i32) (yss: [k][2]i32) =
  let both = xss ++ yss
  in (both, map (\r -> r ++ [r[0]]) both)
entry chain (n: i64) =
  let (a, b) = unzip (zip [1, 2] [true, true] ++ [(3, false)])
  in (iota n ++ [9] ++ reverse (iota n), a, b)
