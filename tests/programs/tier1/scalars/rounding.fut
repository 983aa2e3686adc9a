-- floor, ceil, trunc and round (ties to even), also below zero.
-- ==
-- entry: f64s
-- input { [2.5, -2.5, 1.5, 0.4, -0.6, 3.0] }
-- output { [2.0, -3.0, 1.0, 0.0, -1.0, 3.0] [3.0, -2.0, 2.0, 1.0, 0.0, 3.0]
--          [2.0, -2.0, 1.0, 0.0, 0.0, 3.0] [2.0, -2.0, 2.0, 0.0, -1.0, 3.0] }
-- input { empty([0]f64) } output { empty([0]f64) empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: f32s
-- input { [0.5f32, 3.5f32, -1.5f32] } output { [0f32, 4f32, -2f32] [0, 3, -1] }

-- ==
-- entry: neighbours
-- input { 1f32 } output { true true }

entry f64s [n] (xs: [n]f64) = (map f64.floor xs, map f64.ceil xs, map f64.trunc xs, map f64.round xs)
entry f32s [n] (xs: [n]f32) = (map f32.round xs, map i32.f32 xs)
entry neighbours (x: f32) =
  (f32.nextafter x 2 - x == f32.epsilon, f32.nextafter x 0 < x)
