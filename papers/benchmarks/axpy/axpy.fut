-- A vector times a number, plus a vector.
-- ==
-- input { 2f32 [1f32, 2f32, 3f32] [10f32, 20f32, 30f32] } output { [12f32, 24f32, 36f32] }
-- input { 2f32 empty([0]f32) empty([0]f32) } output { empty([0]f32) }

entry main [n] (a: f32) (xs: [n]f32) (ys: [n]f32) : [n]f32 = map2 (\x y -> a * x + y) xs ys
