-- The sum of two vectors.
-- ==
-- input { [1f32, 2f32] [3f32, 5f32] } output { [4f32, 7f32] }
-- input { empty([0]f32) empty([0]f32) } output { empty([0]f32) }

entry main [n] (xs: [n]f32) (ys: [n]f32) : [n]f32 = map2 (+) xs ys
