-- Inclusive prefix scans, with operators on numbers, pairs and booleans.
-- ==
-- entry: sums
-- input { [1, 2, 3, 4] } output { [1, 3, 6, 10] [1, 2, 6, 24] [0, 1, 3, 6] }
-- input { [5] } output { [5] [5] [0] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0]i32) }

-- ==
-- entry: running_max
-- input { [3f32, 1f32, 4f32, 1f32, 5f32] } output { [3f32, 3f32, 4f32, 4f32, 5f32] }

-- ==
-- entry: segmented
-- input { [true, false, true, false, false] [1, 2, 3, 4, 5] } output { [1, 3, 3, 7, 12] }
-- input { [false] [1] } output { [1] }
-- input { empty([0]bool) empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: recurrence
-- input { [1.0, 2.0, 0.5] [1.0, 1.0, 1.0] } output { [1.0, 3.0, 2.5] }

-- ==
-- entry: all_so_far
-- input { [true, true, false, true] } output { [true, true, false, false] }

entry sums [n] (xs: [n]i32) =
  let inclusive = scan (+) 0 xs
  in (inclusive, scan (*) 1 xs, map2 (-) inclusive xs)
entry running_max [n] (xs: [n]f32) = scan f32.max f32.lowest xs
entry segmented [n] (flags: [n]bool) (xs: [n]i32) =
  (scan (\(f, x) (g, y) -> (f || g, if g then y else x + y)) (false, 0) (zip flags xs) |> unzip).1
-- x_i = a_i x_(i-1) + b_i from x_0 = 0.
entry recurrence [n] (as: [n]f64) (bs: [n]f64) =
  (unzip (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip as bs))).1
entry all_so_far [n] (bs: [n]bool) = scan (&&) true bs
