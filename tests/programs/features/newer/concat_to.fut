-- `concat_to n xs ys`: both, one after the other, n elements in all, or an error.
-- ==
-- entry: joined
-- input { [1, 2] [3] } output { [1, 2, 3] }
-- input { empty([0]i32) [-4] } output { [-4] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: claimed
-- input { [1, 2] [3] 3i64 } output { [1, 2, 3] }
-- input { [1, 2] [3] 4i64 } error:

entry joined [n] [m] (xs: [n]i32) (ys: [m]i32) = concat_to (n + m) xs ys
entry claimed (xs: []i32) (ys: []i32) (k: i64) = concat_to k xs ys
