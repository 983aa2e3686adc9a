-- Writing outside an array traps like reading does; writing a slice of the wrong length does too.
-- ==
-- entry: element
-- input { [1, 2, 3] 2i64 } output { [1, 2, 0] }
-- input { [1, 2, 3] 3i64 } error: Index \[3\] out of bounds for array of shape \[3\]\.
-- input { [1, 2, 3] -1i64 } error: Index \[-1\] out of bounds for array of shape \[3\]\.
-- input { empty([0]i32) 0i64 } error: Index \[0\] out of bounds for array of shape \[0\]\.

-- ==
-- entry: cell
-- input { [[1, 2], [3, 4]] 1i64 0i64 } output { [[1, 2], [0, 4]] }
-- input { [[1, 2], [3, 4]] 0i64 2i64 } error: Index \[0, 2\] out of bounds for array of shape \[2\]\[2\]\.

-- ==
-- entry: fill
-- input { [1, 2, 3] 1i64 [8, 9] } output { [1, 8, 9] }
-- input { [1, 2, 3] 2i64 [8, 9] } error: Index \[2:4\] out of bounds for array of shape \[3\]\.
-- input { [1, 2, 3] 3i64 empty([0]i32) } output { [1, 2, 3] }

-- ==
-- entry: in_loop
-- input { 3i64 2i64 } error: Index \[2\] out of bounds for array of shape \[2\]\.
-- input { 2i64 2i64 } output { [0i64, 1i64] }

entry element (xs: *[]i32) (i: i64) = xs with [i] = 0
entry cell (xss: *[][]i32) (i: i64) (j: i64) = xss with [i, j] = 0
entry fill [k] (xs: *[]i32) (i: i64) (ys: [k]i32) = xs with [i:i + k] = ys
entry in_loop (n: i64) (m: i64) = loop xs = replicate m 0 for i < n do let xs[i] = i in xs
