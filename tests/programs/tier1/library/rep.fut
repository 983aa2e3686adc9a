-- rep is replicate with the length taken from the type it must have.
-- ==
-- entry: same_length
-- input { [1, 2, 3] } output { [8, 9, 10] }
-- input { empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: annotated
-- input { 2i64 5f32 } output { [5f32, 5f32] [[0u8, 0u8, 0u8], [0u8, 0u8, 0u8]] }
-- input { 0i64 5f32 } output { empty([0]f32) empty([0][3]u8) }

entry same_length [n] (xs: [n]i32) : [n]i32 = map2 (+) xs (rep 7)
entry annotated (n: i64) (x: f32) : ([n]f32, [n][3]u8) = (rep x, rep (rep 0))
