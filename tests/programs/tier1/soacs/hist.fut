-- hist makes k buckets; values of one bucket are combined, indices outside are ignored.
-- ==
-- entry: counts
-- input { 4i64 [1i64, 3i64, 1i64, 1i64] } output { [0, 3, 0, 1] }
-- input { 2i64 [-1i64, 2i64, 0i64] } output { [1, 0] }
-- input { 3i64 empty([0]i64) } output { [0, 0, 0] }
-- input { 0i64 [0i64] } output { empty([0]i32) }

-- ==
-- entry: extremes
-- input { 3i64 [0i64, 2i64, 0i64, 2i64] [4f32, 1f32, -4f32, 2f32] }
-- output { [-4f32, f32.inf, 1f32] [4f32, -f32.inf, 2f32] }

-- ==
-- entry: means
-- input { 2i64 [0i64, 1i64, 0i64] [1.0, 5.0, 3.0] } output { [2.0, 5.0] }

-- ==
-- entry: vectors
-- input { [0i64, 1i64, 0i64] [[1, 2], [3, 4], [5, 6]] } output { [[6, 8], [3, 4]] }
-- input { empty([0]i64) empty([0][2]i32) } output { [[0, 0], [0, 0]] }

entry counts [n] (k: i64) (is: [n]i64) = hist (+) 0 k is (replicate n 1i32)
entry extremes [n] (k: i64) (is: [n]i64) (xs: [n]f32) =
  (hist f32.min f32.inf k is xs, hist f32.max f32.lowest k is xs)
entry means [n] (k: i64) (is: [n]i64) (xs: [n]f64) =
  hist (\(a, m) (b, l) -> (a + b, m + l)) (0, 0) k is (map (\x -> (x, 1)) xs)
  |> map (\(s, m) -> s / m)
entry vectors [n] [m] (is: [n]i64) (xss: [n][m]i32) = hist (map2 (+)) (replicate m 0) 2 is xss
