-- Library functions that few programs need: `iterate_until`, `break`, `manifest`.
-- ==
-- entry: halved_until
-- input { 1000 10 } output { 7 }
-- input { -3 10 } output { -3 }

-- ==
-- entry: looked_at
-- input { [3, -1] } output { [6, -2] }

-- ==
-- entry: columns
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[1, 4], [2, 5], [3, 6]] }
-- input { empty([0][2]i32) } output { empty([2][0]i32) }

entry halved_until (x: i32) (limit: i32) = iterate_until (<= limit) (/ 2) x
entry looked_at (xs: []i32) = break (map (* 2) xs)
entry columns (xss: [][]i32) = manifest (transpose xss)
