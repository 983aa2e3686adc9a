-- Arrays of f16: mapped, reduced, scanned, and constants.
-- ==
-- input { [1.0f16, 2.5f16, -0.5f16] } output { 3.0f16 2.5f16 -0.5f16 }
-- input { [0.25f16] } output { 0.25f16 0.25f16 0.25f16 }
-- input { empty([0]f16) } output { 0.0f16 -f16.inf f16.inf }

def main [n] (xs: [n]f16) : (f16, f16, f16) = (f16.sum xs, f16.maximum xs, f16.minimum xs)

-- ==
-- entry: elementwise
-- input { [1.0f16, 4.0f16] [0.5f16, 0.25f16] } output { [0.5f16, 1.0f16] [1.0f16, 2.0f16] }
-- input { empty([0]f16) empty([0]f16) } output { empty([0]f16) empty([0]f16) }

entry elementwise [n] (xs: [n]f16) (ys: [n]f16) : ([n]f16, [n]f16) = (map2 (*) xs ys, map f16.sqrt xs)

-- ==
-- entry: running
-- input { [1.0f16, 2.0f16, 3.0f16] } output { [1.0f16, 3.0f16, 6.0f16] }

entry running [n] (xs: [n]f16) : [n]f16 = scan (+) 0 xs

-- ==
-- entry: mixed_precision
-- input { [0.5f16, 1.5f16] [2.0f16, 4.0f16] } output { 7.0f32 }

entry mixed_precision [n] (xs: [n]f16) (ys: [n]f16) : f32 =
  f32.sum (map2 (\x y -> f32.f16 x * f32.f16 y) xs ys)

-- ==
-- entry: constants
-- input { 1.5f16 } output { 0.5f16 3.14f16 [1.5f16, -3.0f16] true true }

entry constants (x: f16) : (f16, f16, [2]f16, bool, bool) =
  (0.5f16, f16.pi, [x, -2 * x], f16.isnan f16.nan, f16.isinf f16.inf)

-- ==
-- entry: functions
-- input { 0.0f16 } output { 1.0f16 0.0f16 1.0f16 0.0f16 0.0f16 }
-- input { 1.0f16 } output { 2.718f16 0.8413f16 0.5405f16 1.0f16 0.7617f16 }

entry functions (x: f16) : (f16, f16, f16, f16, f16) =
  (f16.exp x, f16.sin x, f16.cos x, f16.floor x, f16.tanh x)
