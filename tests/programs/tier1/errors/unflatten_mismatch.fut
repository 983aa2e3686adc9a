-- unflatten to a shape with another number of elements.
-- ==
-- entry: two
-- input { 2i64 3i64 [1, 2, 3, 4, 5, 6] } output { [[1, 2, 3], [4, 5, 6]] }
-- input { 2i64 2i64 [1, 2, 3, 4, 5, 6] } error: .
-- input { 0i64 3i64 empty([0]i32) } output { empty([0][3]i32) }
-- input { 0i64 3i64 [1] } error: .
-- input { -1i64 -3i64 [1, 2, 3] } error: Cannot unflatten array of shape \[3\] to array of shape \[-1\]\[-3\]

-- ==
-- entry: unfolded
-- input { 2i64 3i64 [[1, 2], [3, 4], [5, 6]] } output { [[1, 2, 3], [4, 5, 6]] }
-- input { 2i64 4i64 [[1, 2], [3, 4], [5, 6]] } error: .

entry two (n: i64) (m: i64) (xs: []i32) : [n][m]i32 = unflatten (sized (n * m) xs)
entry unfolded (n: i64) (m: i64) (xss: [][]i32) : [n][m]i32 =
  let flat = flatten xss
  in unflatten (sized (n * m) flat)
