-- An array whose rows turn out to have different lengths is a run-time error.
-- ==
-- entry: literal
-- input { [1, 2] [3, 4] } output { [[1, 2], [3, 4]] }
-- input { [1, 2] [3] } error: .

-- ==
-- entry: branches
-- input { [1, 2, 3] 1i64 } output { [1] }
-- input { [1, 2, 3] 4i64 } error: Index \[0:4\] out of bounds for array of shape \[3\]\.

entry literal [n] (xs: [n]i32) (ys: []i32) = [xs, sized n ys]
entry branches (xs: []i32) (k: i64) : []i32 = if k > 0 then take k xs else xs
