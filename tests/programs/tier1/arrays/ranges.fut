-- Ranges: exclusive, inclusive, descending, with a step, and empty ones.
-- ==
-- entry: simple
-- input { 1i64 4i64 } output { [1i64, 2i64, 3i64] [1i64, 2i64, 3i64, 4i64] }
-- input { 3i64 3i64 } output { empty([0]i64) [3i64] }
-- input { -2i64 0i64 } output { [-2i64, -1i64] [-2i64, -1i64, 0i64] }

-- ==
-- entry: descending
-- input { 5i64 } output { [5i64, 4i64, 3i64, 2i64, 1i64] [5i64, 4i64, 3i64, 2i64, 1i64, 0i64] [5i64, 3i64, 1i64] }
-- input { 1i64 } output { [1i64] [1i64, 0i64] [1i64] }

-- ==
-- entry: stepped
-- input { 10 } output { [0, 3, 6, 9] [1, 3, 5, 7, 9] [10, 6, 2] [0, 5, 10] [0, 5] }

-- ==
-- entry: small_types
-- input { 3i8 } output { [0i8, 1i8, 2i8, 3i8] [-1i16, 0i16, 1i16] }

-- ==
-- entry: constant_bounds
-- input { } output { 55 [3, 4, 5] }

entry simple (a: i64) (b: i64) = (a..<b, a...b)
entry descending (n: i64) = (n..n - 1..>0, n..n - 1...0, n..n - 2..>0)
entry stepped (n: i32) : ([]i32, []i32, []i32, []i32, []i32) = (0..3..<n, 1..3...n, n..n - 4..>0, 0..5...n, 0..5..<n)
entry small_types (n: i8) = (0...n, (-1)..<(2i16))
entry constant_bounds = (i32.sum (1...10), 3...5)
