-- iterate a fixed number of times, or while a condition holds.
-- ==
-- entry: fixed
-- input { 3 2 } output { 12 [3, 5] }
-- input { 3 0 } output { 3 [1, 0] }
-- input { 3 -1 } output { 3 [1, 0] }

-- ==
-- entry: until
-- input { 100 } output { 6 }
-- input { 5 } output { 5 }
-- input { -8 } output { -8 }

-- ==
-- entry: sqrt_babylonian
-- input { 9.0 } output { 3.0 }

-- ==
-- entry: smooth
-- input { [0f32, 8f32, 0f32, 0f32] 1 } output { [4f32, 4f32, 0f32, 0f32] }
-- input { [0f32, 8f32, 0f32, 0f32] 0 } output { [0f32, 8f32, 0f32, 0f32] }

entry fixed (x: i32) (n: i32) = (iterate n (* 2) x, iterate n (\v -> [v[0] + 1, v[1] + v[0] + 1]) [1, 0])
entry until (x: i32) = iterate_while (> 10) (/ 2) x
entry sqrt_babylonian (x: f64) =
  iterate_while (\g -> f64.abs (g * g - x) > 1e-9) (\g -> (g + x / g) / 2) x
entry smooth [n] (xs: [n]f32) (k: i32) = iterate k (\ys -> map2 (\a b -> (a + b) / 2) ys (rotate 1 ys)) xs
