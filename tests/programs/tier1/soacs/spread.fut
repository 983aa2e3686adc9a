-- spread is a scatter into a fresh array filled with one value.
-- ==
-- entry: numbers
-- input { 4i64 [2i64, 0i64] [7, 8] } output { [8, -1, 7, -1] }
-- input { 3i64 [5i64, -1i64, 1i64] [1, 2, 3] } output { [-1, 3, -1] }
-- input { 2i64 empty([0]i64) empty([0]i32) } output { [-1, -1] }
-- input { 0i64 [0i64] [1] } output { empty([0]i32) }

-- ==
-- entry: rows
-- input { 3i64 [1i64] [[1f32, 2f32]] } output { [[0f32, 0f32], [1f32, 2f32], [0f32, 0f32]] }

-- ==
-- entry: inverse
-- input { [2i64, 0i64, 1i64] } output { [1i64, 2i64, 0i64] }

entry numbers [k] (n: i64) (is: [k]i64) (vs: [k]i32) = spread n (-1) is vs
entry rows [k] (n: i64) (is: [k]i64) (vs: [k][2]f32) = spread n [0, 0] is vs
entry inverse [n] (is: [n]i64) = spread n (-1) is (iota n)
