-- The positive numbers, in their order.
-- ==
-- input { [3, -1, 0, 4] } output { [3, 4] }
-- input { empty([0]i32) } output { empty([0]i32) }

entry main [n] (xs: [n]i32) : []i32 = filter (> 0) xs
