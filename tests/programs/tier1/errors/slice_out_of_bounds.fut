-- A slice outside an array prints its bounds as they were written.
-- ==
-- entry: between
-- input { [1, 2, 3] 1i64 3i64 } output { [2, 3] }
-- input { [1, 2, 3] 2i64 5i64 } error: Index \[2:5\] out of bounds for array of shape \[3\]\.
-- input { [1, 2, 3] 2i64 1i64 } error: Index \[2:1\] out of bounds for array of shape \[3\]\.
-- input { [1, 2, 3] -1i64 1i64 } error: Index \[-1:1\] out of bounds for array of shape \[3\]\.

-- ==
-- entry: from
-- input { [1, 2, 3] 3i64 } output { empty([0]i32) }
-- input { [1, 2, 3] 4i64 } error: Index \[4:\] out of bounds for array of shape \[3\]\.

-- ==
-- entry: to
-- input { [1, 2, 3] 0i64 } output { empty([0]i32) }
-- input { [1, 2, 3] 4i64 } error: Index \[:4\] out of bounds for array of shape \[3\]\.

-- ==
-- entry: strided
-- input { [1, 2, 3, 4] 0i64 4i64 2i64 } output { [1, 3] }
-- input { [1, 2, 3, 4] 3i64 0i64 -1i64 } output { [4, 3, 2] }
-- input { [1, 2, 3, 4] 0i64 5i64 2i64 } error: Index \[0:5:2\] out of bounds for array of shape \[4\]\.
-- input { [1, 2, 3, 4] 0i64 3i64 -1i64 } error: Index \[0:3:-1\] out of bounds for array of shape \[4\]\.
-- input { [1, 2, 3, 4] 0i64 4i64 0i64 } error: Index \[0:4:0\] out of bounds for array of shape \[4\]\.

-- ==
-- entry: block
-- input { [[1, 2], [3, 4]] 1i64 2i64 } output { [[2], [4]] }
-- input { [[1, 2], [3, 4]] 1i64 3i64 } error: out of bounds for array of shape \[2\]\[2\]\.

entry between (xs: []i32) (i: i64) (j: i64) = xs[i:j]
entry from (xs: []i32) (i: i64) = xs[i:]
entry to (xs: []i32) (j: i64) = xs[:j]
entry strided (xs: []i32) (i: i64) (j: i64) (s: i64) = xs[i:j:s]
entry block (xss: [][]i32) (i: i64) (j: i64) = xss[:, i:j]
