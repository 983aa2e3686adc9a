-- Trigonometric and hyperbolic functions and their inverses.
-- ==
-- entry: circle
-- input { 0.0 } output { [0.0, 1.0, 0.0] 1.0 }
-- input { 0.5235987755982988 } output { [0.5, 0.8660254037844387, 0.5773502691896257] 1.0 }
-- input { -3.141592653589793 } output { [0.0, -1.0, 0.0] 1.0 }

-- ==
-- entry: inverse
-- input { 0.5 } output { [0.5235987755982989, 1.0471975511965979, 0.4636476090008061] }
-- input { -1.0 } output { [-1.5707963267948966, 3.141592653589793, -0.7853981633974483] }

-- ==
-- entry: hyperbolic
-- input { 1f32 } output { [1.1752012f32, 1.5430806f32, 0.7615942f32, 0.8813736f32, 1f32, 0.5493061f32] }

-- ==
-- entry: quadrant
-- input { [1f64, 1f64, -1f64, -1f64] [1f64, -1f64, 1f64, -1f64] }
-- output { [0.7853981633974483f64, 2.356194490192345f64, -0.7853981633974483f64, -2.356194490192345f64] }

-- ==
-- entry: length2
-- input { 3.0 4.0 } output { 5.0 }
-- input { 0.0 0.0 } output { 0.0 }

-- ==
-- entry: half_turns
-- input { [0f64, 0.5f64, 1f64] } output { [0f64, 1f64, 0f64] [1f64, 0f64, -1f64] [0f64, 0.5f64, 0f64] }

entry circle (x: f64) = ([f64.sin x, f64.cos x, f64.tan x], f64.sin x ** 2 + f64.cos x ** 2)
entry inverse (x: f64) = [f64.asin x, f64.acos x, f64.atan x]
entry hyperbolic (x: f32) =
  [f32.sinh x, f32.cosh x, f32.tanh x, f32.asinh x, f32.acosh (f32.cosh x), f32.atanh (x / 2)]
entry quadrant [n] (ys: [n]f64) (xs: [n]f64) = map2 f64.atan2 ys xs
entry length2 (x: f64) (y: f64) = f64.hypot x y
entry half_turns [n] (xs: [n]f64) =
  (map f64.sinpi xs, map f64.cospi xs, map (\x -> f64.asinpi (f64.sinpi x)) xs)
