-- iota, replicate and indices, of every length and element shape.
-- ==
-- entry: make
-- input { 3i64 } output { [0i64, 1i64, 2i64] [7u8, 7u8, 7u8] [[1, 2], [1, 2], [1, 2]] }
-- input { 1i64 } output { [0i64] [7u8] [[1, 2]] }
-- input { 0i64 } output { empty([0]i64) empty([0]u8) empty([0][2]i32) }

-- ==
-- entry: nested
-- input { 2i64 3i64 } output { [[true, true, true], [true, true, true]] }
-- input { 2i64 0i64 } output { empty([2][0]bool) }

-- ==
-- entry: places
-- input { [5f32, 6f32] } output { [0i64, 1i64] }
-- input { empty([0]f32) } output { empty([0]i64) }

-- ==
-- entry: of_tuples
-- input { 2i64 } output { [1, 1] [0.5, 0.5] }

entry make (n: i64) = (iota n, replicate n 7u8, replicate n [1, 2])
entry nested (n: i64) (m: i64) = replicate n (replicate m true)
entry places [n] (xs: [n]f32) : [n]i64 = indices xs
entry of_tuples (n: i64) = unzip (replicate n (1, 0.5))
