-- Segmented scans and reductions: a segment starts at every flag, whatever comes before the first
-- flag is a segment as well.
-- ==
-- entry: sums
-- input { [true, false, true, false, false] [1i64, 2i64, 3i64, 4i64, 5i64] }
-- output { [1i64, 3i64, 3i64, 7i64, 12i64] [3i64, 12i64] }
-- input { [false, false, true, true] [1i64, 2i64, 3i64, -4i64] }
-- output { [1i64, 3i64, 3i64, -4i64] [3i64, 3i64, -4i64] }
-- input { [false, false] [7i64, 8i64] } output { [7i64, 15i64] [15i64] }
-- input { [true, true, true] [7i64, 8i64, 9i64] } output { [7i64, 8i64, 9i64] [7i64, 8i64, 9i64] }
-- input { [true] [7i64] } output { [7i64] [7i64] }
-- input { [false] [7i64] } output { [7i64] [7i64] }
-- input { empty([0]bool) empty([0]i64) } output { empty([0]i64) empty([0]i64) }
-- input { [true, false] [7i64] } error:

entry sums [n] (flags: [n]bool) (xs: [n]i64) : ([]i64, []i64) =
  (segmented_scan (+) 0 flags xs, segmented_reduce (+) 0 flags xs)

-- The operator need not commute: the first element of a segment that is not zero.
-- ==
-- entry: firsts
-- input { [true, false, false, true, false, true] [0i32, 5i32, 6i32, 0i32, 0i32, 7i32] }
-- output { [0i32, 5i32, 5i32, 0i32, 0i32, 7i32] [5i32, 0i32, 7i32] }
entry firsts [n] (flags: [n]bool) (xs: [n]i32) : ([]i32, []i32) =
  let first a b = if a != 0 then a else b
  in (segmented_scan first 0 flags xs, segmented_reduce first 0 flags xs)

-- Elements may be tuples: a smallest element and the sum of each segment.
-- ==
-- entry: pairs
-- input { [true, false, true, false] [4.0, -1.0, 2.5, 3.0] } output { [-1.0, 2.5] [3.0, 5.5] }
entry pairs [n] (flags: [n]bool) (xs: [n]f64) : ([]f64, []f64) =
  segmented_reduce (\(a, b) (c, d) -> (f64.min a c, b + d)) (f64.inf, 0) flags (zip xs xs) |> unzip
