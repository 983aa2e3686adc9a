-- head, last, tail, init, take, drop and split of too short an array.
-- ==
-- entry: first final
-- input { [5] } output { 5 }
-- input { empty([0]i32) } error: Index \[-?[01]\] out of bounds for array of shape \[0\]\.

-- ==
-- entry: rest front
-- input { [5] } output { empty([0]i32) }
-- input { empty([0]i32) } error: .

-- ==
-- entry: take_n
-- input { 2i64 [1, 2] } output { [1, 2] }
-- input { 3i64 [1, 2] } error: Index \[0:3\] out of bounds for array of shape \[2\]\.
-- input { -1i64 [1, 2] } error: Index \[0:-1\] out of bounds for array of shape \[2\]\.

-- ==
-- entry: drop_n
-- input { 2i64 [1, 2] } output { empty([0]i32) }
-- input { 3i64 [1, 2] } error: Index \[3:\] out of bounds for array of shape \[2\]\.

entry first (xs: []i32) = head xs
entry final (xs: []i32) = last xs
entry rest (xs: []i32) = tail xs
entry front (xs: []i32) = init xs
entry take_n (n: i64) (xs: []i32) = take n xs
entry drop_n (n: i64) (xs: []i32) = drop n xs
