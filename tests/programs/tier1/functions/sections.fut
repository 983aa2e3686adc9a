-- Operator sections: left, right, bare, with qualified and backquoted operators.
-- ==
-- entry: sections
-- input { [1, 2, 3] } output { [11, 12, 13] [9, 8, 7] [-9, -8, -7] [0, 1, 1] [10, 5, 3] }
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }

-- ==
-- entry: powers
-- input { [0.0, 1.0, 2.0] } output { [0.0, 1.0, 8.0] [1.0, 3.0, 9.0] }

-- ==
-- entry: logic
-- input { [1, 5, 9] } output { [true, false, false] [false, true, true] [false, true, false] }

-- ==
-- entry: ticks
-- input { [4, -4] } output { [-1, -4] [4, 0] }

entry sections [n] (xs: [n]i32) =
  (map (10 +) xs, map (10 -) xs, map (\x -> x - 10) xs, map (/ 2) xs, map (10 //) xs)
entry powers [n] (xs: [n]f64) = (map (** 3) xs, map (3 **) xs)
entry logic [n] (xs: [n]i32) = (map (< 5) xs, map (5 <=) xs, map2 (&&) (map (>= 5) xs) (map (!= 9) xs))
entry ticks [n] (xs: [n]i32) = (map (-1 `i32.min`) xs, map (`i32.max` 0) xs)
