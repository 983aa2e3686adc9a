-- `%` on floats, with signs and special values.
-- ==
-- entry: rem
-- input { 7.5 2.0 } output { 1.5 }
-- input { -7.5 2.0 } output { -1.5 }
-- input { 7.5 -2.0 } output { 1.5 }
-- input { 6.0 2.0 } output { 0.0 }
-- input { 1.0 0.0 } output { f64.nan }
-- input { 1.0 f64.inf } output { 1.0 }

-- ==
-- entry: wrap_angle
-- input { [0f32, 370f32, -10f32, 720f32] } output { [0f32, 10f32, 350f32, 0f32] }

entry rem (x: f64) (y: f64) = x % y
entry wrap_angle [n] (xs: [n]f32) = map (\x -> (x % 360 + 360) % 360) xs
