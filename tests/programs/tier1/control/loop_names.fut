-- A parameter of a loop hides what the loop counts, or goes through, under the same name.
-- ==
-- entry: counted
-- input { 3i64 } output { 8i64 }
-- input { 0i64 } output { 1i64 }

-- ==
-- entry: through
-- input { [5i64, 7i64] } output { 4i64 }
-- input { empty([0]i64) } output { 1i64 }

entry counted (n: i64) = loop i = 1i64 for i < n do i * 2

entry through (xs: []i64) = loop x = 1i64 for x in xs do x * 2
