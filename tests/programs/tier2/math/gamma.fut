-- The gamma function and the logarithm of its absolute value, in three precisions.
-- ==
-- input { [1.0, 2.0, 5.0, 0.5, -0.5, 1.5] }
-- output { [1.0, 1.0, 24.0, 1.772453851, -3.544907702, 0.886226925]
--          [0.0, 0.0, 3.178053830, 0.572364943, 1.265512123, -0.120782238] }
-- input { empty([0]f64) } output { empty([0]f64) empty([0]f64) }

def main [n] (xs: [n]f64) : ([n]f64, [n]f64) = (map f64.gamma xs, map f64.lgamma xs)

-- ==
-- entry: single
-- input { [3.0f32, 0.5f32, -1.5f32, 10.5f32] }
-- output { [2.0f32, 1.7724539f32, 2.3632718f32, 1133278.4f32]
--          [0.6931472f32, 0.5723649f32, 0.8600470f32, 13.940625f32] }

entry single [n] (xs: [n]f32) : ([n]f32, [n]f32) = (map f32.gamma xs, map f32.lgamma xs)

-- ==
-- entry: extremes
-- input { } output { f64.inf f64.inf f64.inf }

entry extremes : (f64, f64, f64) = (f64.gamma 200, f64.lgamma f64.inf, f64.gamma f64.inf)
