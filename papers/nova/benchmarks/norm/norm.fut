-- The length of a vector.
-- ==
-- input { [3f32, 4f32] } output { 5f32 }
-- input { empty([0]f32) } output { 0f32 }

entry main [n] (xs: [n]f32) : f32 = f32.sqrt (f32.sum (map (\x -> x * x) xs))
