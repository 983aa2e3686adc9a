-- Maps inside maps, two and three deep, using the outer elements inside.
-- ==
-- entry: outer_product
-- input { [1, 2, 3] [10, 20] } output { [[10, 20], [20, 40], [30, 60]] }
-- input { [1] [5] } output { [[5]] }
-- input { empty([0]i32) [1, 2] } output { empty([0][2]i32) }
-- input { [1, 2] empty([0]i32) } output { empty([2][0]i32) }

-- ==
-- entry: scale_rows
-- input { [[1f32, 2f32], [3f32, 4f32]] [2f32, -1f32] } output { [[2f32, 4f32], [-3f32, -4f32]] }

-- ==
-- entry: cube
-- input { 2i64 } output { [[[0i64, 1i64], [1i64, 2i64]], [[1i64, 2i64], [2i64, 3i64]]] }
-- input { 0i64 } output { empty([0][0][0]i64) }

-- ==
-- entry: mandel_grid
-- input { 2i64 2i64 } output { [[50i64, 50i64], [1i64, 50i64]] }

entry outer_product [n] [m] (xs: [n]i32) (ys: [m]i32) : [n][m]i32 = map (\x -> map (\y -> x * y) ys) xs
entry scale_rows [n] [m] (xss: [n][m]f32) (fs: [n]f32) = map2 (\xs f -> map (f *) xs) xss fs
entry cube (n: i64) = map (\i -> map (\j -> map (\k -> i + j + k) (iota n)) (iota n)) (iota n)
entry mandel_grid (h: i64) (w: i64) : [h][w]i64 =
  let divergence (cx: f64) (cy: f64) =
    (loop (x, y, k) = (0, 0, 0) while k < 50 && x * x + y * y <= 4 do
       (x * x - y * y + cx, 2 * x * y + cy, k + 1)).2
  in map (\i -> map (\j -> divergence (f64.i64 j * 2 - 2) (f64.i64 i * 0.1)) (iota w)) (iota h)
