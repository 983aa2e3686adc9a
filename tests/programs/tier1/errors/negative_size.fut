-- A size that is a negative constant is no error of the program: it traps where it is reached.
-- ==
-- entry: drop_too_many
-- input { 1 } error: Index \[13:\] out of bounds for array of shape \[3\]\.

-- ==
-- entry: iota_below_zero
-- input { 1 } error: Range 0\.\.1\.\.<-2 is invalid\.

-- ==
-- entry: tail_of_nothing
-- input { 1 } error: Index \[1:\] out of bounds for array of shape \[0\]\.

-- ==
-- entry: in_one_branch
-- input { 0 } output { [7] }
-- input { 1 } error: Index \[5:\] out of bounds for array of shape \[2\]\.

-- ==
-- entry: taken_at_once
-- input { 1 } error: Index \[0:-13\] out of bounds for array of shape \[2\]\.

-- ==
-- entry: asked_how_many
-- input { 1 } error: Size -3 is negative\.

entry drop_too_many (x: i32) = drop 13 [x, x, x]
entry iota_below_zero (_: i32) = iota (3 - 5)
entry tail_of_nothing (x: i32) = tail (take 0 [x, x])
entry taken_at_once (x: i32) = take (-13) [x, x] |> reduce (+) 0
entry asked_how_many (x: i32) = length (replicate (-3) x)
entry in_one_branch (x: i32) : []i32 = if x > 0 then drop 5 [x, x] else [7]
