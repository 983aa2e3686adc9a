-- The library of segmented operations (paper 004, section 3.1), with segments of no elements among them.
-- ==
-- entry: scans
-- input { [true, false, true, false, false] [1, 2, 3, -4, 5] }
-- output { [1, 3, 3, -1, 4] [0i64, 1i64, 0i64, 1i64, 2i64] [3, 4] }
-- input { [false, false, true] [7, 8, 9] } output { [7, 15, 9] [0i64, 1i64, 0i64] [15, 9] }
-- input { empty([0]bool) empty([0]i32) } output { empty([0]i32) empty([0]i64) empty([0]i32) }

-- ==
-- entry: owners
-- input { [2i64, 0i64, 3i64, 1i64] } output { [0i64, 0i64, 2i64, 2i64, 2i64, 3i64] }
-- input { [0i64, 0i64] } output { empty([0]i64) }
-- input { empty([0]i64) } output { empty([0]i64) }
-- input { [4611686018427387904i64, 4611686018427387904i64, -1i64, 9223372036854775807i64, 1i64] }
-- error: negative

entry scans [n] (flags: [n]bool) (xs: [n]i32) =
  (segmented_scan (+) 0 flags xs, segmented_iota flags, segmented_reduce (+) 0 flags xs)
entry owners (reps: []i64) = replicated_iota reps
