-- All prefix sums.
-- ==
-- input { [3, 1, 4, 1, 5] } output { [3, 4, 8, 9, 14] }
-- input { empty([0]i32) } output { empty([0]i32) }

entry main [n] (xs: [n]i32) : [n]i32 = scan (+) 0 xs
