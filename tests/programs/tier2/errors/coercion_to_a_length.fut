-- A coercion to another array's length is checked, also where nothing names that length.
-- ==
-- entry: total
-- input { [1, 2] [3, 4] } output { 7 }
-- input { empty([0]i32) empty([0]i32) } output { 0 }
-- input { [1, 2] [3, 4, 5] } error: shape \[3\] cannot match shape of type "\[2\]i32"

-- ==
-- entry: of_rows
-- input { [1, 2] [[3, 4], [5, 6]] } output { [7, 11] }
-- input { [1, 2] [[3], [5]] } error: \[2\]\[1\].*\[2\]\[2\]i32

-- ==
-- entry: at_two_lengths
-- input { [1, 2] [3, 4] [5, 6] } output { [3, 4] [5, 6] }
-- input { [1, 2] [3, 4] [5] } error: shape \[1\] cannot match shape of type "\[2\]i32"

def checked (xs: []i32) (ys: []i32) = ys :> [length xs]i32

entry total (xs: []i32) (ys: []i32) = i32.sum (ys :> [length xs]i32)

entry of_rows (xs: []i32) (yss: [][]i32) = map i32.sum (yss :> [][length xs]i32)

entry at_two_lengths (xs: []i32) (ys: []i32) (zs: []i32) =
  (copy (checked xs ys), copy (checked xs zs))
