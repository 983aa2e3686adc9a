-- scatter writes at computed places and ignores indices outside the array.
-- ==
-- entry: write
-- input { [0, 0, 0, 0] [3i64, 0i64] [7, 8] } output { [8, 0, 0, 7] }
-- input { [1, 2, 3] [-1i64, 3i64, 1i64] [9, 9, 9] } output { [1, 9, 3] }
-- input { [1, 2, 3] empty([0]i64) empty([0]i32) } output { [1, 2, 3] }
-- input { empty([0]i32) [0i64] [1] } output { empty([0]i32) }

-- ==
-- entry: permute
-- input { [2i64, 0i64, 1i64] [10, 20, 30] } output { [20, 30, 10] [2i64, 0i64, 1i64] }

-- ==
-- entry: rows
-- input { [[1, 1], [2, 2], [3, 3]] [2i64, 5i64, 0i64] [[7, 8], [9, 9], [5, 6]] }
-- output { [[5, 6], [2, 2], [7, 8]] }

-- ==
-- entry: keep_positive
-- input { [3, -1, 4, -5, 6] } output { [3, 4, 6] }
-- input { [-1] } output { empty([0]i32) }
-- input { empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: pairs
-- input { [1i64, 0i64] [1, 2] [true, false] } output { [2, 1] [false, true] }

entry write [n] [k] (dest: *[n]i32) (is: [k]i64) (vs: [k]i32) = scatter dest is vs
entry permute [n] (is: [n]i64) (xs: [n]i32) =
  let ys = scatter (replicate n 0) is xs
  let inverse = scatter (replicate n 0) is (iota n)
  in (ys, map (\i -> inverse[inverse[i]]) (iota n))
entry rows [n] [k] [m] (dest: *[n][m]i32) (is: [k]i64) (vs: [k][m]i32) = scatter dest is vs
entry keep_positive [n] (xs: [n]i32) : []i32 =
  let keep = map (> 0) xs
  let ends = scan (+) 0 (map i64.bool keep)
  let places = map2 (\k e -> if k then e - 1 else -1) keep ends
  in scatter (replicate (if n == 0 then 0 else ends[n - 1]) 0) places xs
entry pairs [n] (is: [n]i64) (xs: [n]i32) (bs: [n]bool) =
  unzip (scatter (replicate n (0, false)) is (zip xs bs))
