-- Trigonometric functions, their inverses, and the variants that count in half turns.
-- ==
-- input { [0.0, 0.5, -0.5] }
-- output { [0.0, 0.479425539, -0.479425539] [1.0, 0.877582562, 0.877582562] [0.0, 0.546302490, -0.546302490] }

def main [n] (xs: [n]f64) : ([n]f64, [n]f64, [n]f64) = (map f64.sin xs, map f64.cos xs, map f64.tan xs)

-- ==
-- entry: inverses
-- input { [0.0, 0.5, 1.0, -1.0] }
-- output { [0.0, 0.523598776, 1.570796327, -1.570796327]
--          [1.570796327, 1.047197551, 0.0, 3.141592654]
--          [0.0, 0.463647609, 0.785398163, -0.785398163] }
-- input { [2.0] } output { [f64.nan] [f64.nan] [1.107148718] }

entry inverses [n] (xs: [n]f64) : ([n]f64, [n]f64, [n]f64) = (map f64.asin xs, map f64.acos xs, map f64.atan xs)

-- ==
-- entry: half_turns
-- input { [0.0, 0.5, 1.0, 0.25] }
-- output { [0.0, 1.0, 0.0, 0.707106781] [1.0, 0.0, -1.0, 0.707106781] }

entry half_turns [n] (xs: [n]f64) : ([n]f64, [n]f64) = (map f64.sinpi xs, map f64.cospi xs)

-- ==
-- entry: inverse_half_turns
-- input { [0.0, 1.0, -1.0] } output { [0.0, 0.5, -0.5] [0.5, 0.0, 1.0] [0.0, 0.25, -0.25] [0.0, 1.0, -1.0] }

entry inverse_half_turns [n] (xs: [n]f64) : ([n]f64, [n]f64, [n]f64, [n]f64) =
  (map f64.asinpi xs, map f64.acospi xs, map f64.atanpi xs, map (\x -> f64.tanpi (x / 4)) xs)

-- ==
-- entry: angles
-- input { [1.0, 1.0, -1.0, -1.0, 0.0] [1.0, -1.0, -1.0, 1.0, -1.0] }
-- output { [0.785398163, 2.356194490, -2.356194490, -0.785398163, 3.141592654]
--          [0.25, 0.75, -0.75, -0.25, 1.0] }

entry angles [n] (ys: [n]f64) (xs: [n]f64) : ([n]f64, [n]f64) = (map2 f64.atan2 ys xs, map2 f64.atan2pi ys xs)

-- ==
-- entry: single
-- input { 1.0f32 2.0f32 } output { 0.8414710f32 0.4636476f32 2.236068f32 }

entry single (x: f32) (y: f32) : (f32, f32, f32) = (f32.sin x, f32.atan2 x y, f32.hypot x y)
