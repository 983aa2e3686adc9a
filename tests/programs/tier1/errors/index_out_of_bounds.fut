-- A read outside an array names all indices and the whole shape.
-- ==
-- entry: vector
-- input { [1, 2, 3] 2i64 } output { 3 }
-- input { [1, 2, 3] 3i64 } error: Index \[3\] out of bounds for array of shape \[3\]\.
-- input { [1, 2, 3] -1i64 } error: Index \[-1\] out of bounds for array of shape \[3\]\.
-- input { empty([0]i32) 0i64 } error: Index \[0\] out of bounds for array of shape \[0\]\.

-- ==
-- entry: matrix
-- input { [[1, 2], [3, 4], [5, 6]] 2i64 1i64 } output { 6 }
-- input { [[1, 2], [3, 4], [5, 6]] 1i64 2i64 } error: Index \[1, 2\] out of bounds for array of shape \[3\]\[2\]\.
-- input { [[1, 2], [3, 4], [5, 6]] 3i64 0i64 } error: Index \[3, 0\] out of bounds for array of shape \[3\]\[2\]\.
-- input { [[1, 2], [3, 4], [5, 6]] -1i64 -1i64 } error: Index \[-1, -1\] out of bounds for array of shape \[3\]\[2\]\.

-- ==
-- entry: row
-- input { [[1, 2], [3, 4], [5, 6]] 1i64 } output { [3, 4] }
-- input { [[1, 2], [3, 4], [5, 6]] 7i64 } error: Index \[7\] out of bounds for array of shape \[3\]\.

-- ==
-- entry: gather
-- input { [1, 2, 3] [0i64, 2i64] } output { [1, 3] }
-- input { [1, 2, 3] [0i64, 4i64] } error: Index \[4\] out of bounds for array of shape \[3\]\.
-- input { [1, 2, 3] empty([0]i64) } output { empty([0]i32) }

entry vector (xs: []i32) (i: i64) = xs[i]
entry matrix (xss: [][]i32) (i: i64) (j: i64) = xss[i, j]
entry row (xss: [][]i32) (i: i64) = xss[i]
entry gather [n] (xs: []i32) (is: [n]i64) = map (\i -> xs[i]) is
