-- Infinities, NaNs, zeros of both signs, extreme values and mathematical constants.
-- ==
-- input { [1.0, f64.inf, -f64.inf, f64.nan, 0.0] }
-- output { [false, true, true, false, false] [false, false, false, true, false] }

def main [n] (xs: [n]f64) : ([n]bool, [n]bool) = (map f64.isinf xs, map f64.isnan xs)

-- ==
-- entry: nan_comparisons
-- input { f64.nan 1.0 } output { [false, false, false, false, false, true] }
-- input { 1.0 f64.nan } output { [false, false, false, false, false, true] }
-- input { 1.0 1.0 } output { [false, true, false, true, true, false] }

entry nan_comparisons (a: f64) (b: f64) : [6]bool = [a < b, a <= b, a > b, a >= b, a == b, a != b]

-- ==
-- entry: nan_minimum
-- input { f64.nan 1.0 } output { 1.0 1.0 }
-- input { 1.0 f64.nan } output { 1.0 1.0 }

entry nan_minimum (a: f64) (b: f64) : (f64, f64) = (f64.min a b, f64.max a b)

-- ==
-- entry: constants
-- input { } output { 3.141592653589793 2.718281828459045 3.1415927f32 2.7182817f32 }

entry constants : (f64, f64, f32, f32) = (f64.pi, f64.e, f32.pi, f32.e)

-- ==
-- entry: extremes
-- input { } output { true true true true }

entry extremes : (bool, bool, bool, bool) =
  ( f64.highest == f64.inf || f64.highest > 1e308, f64.lowest == -f64.highest
  , f32.epsilon > 0 && 1 + f32.epsilon > 1 && 1 + f32.epsilon / 2 == 1
  , f64.i32 i32.lowest == -2147483648)

-- ==
-- entry: signs
-- input { [3.0, -2.0, 0.0] } output { [1.0, -1.0, 0.0] [3.0, 2.0, 0.0] [-3.0, 2.0, 0.0] }

entry signs [n] (xs: [n]f64) : ([n]f64, [n]f64, [n]f64) = (map f64.sgn xs, map f64.abs xs, map f64.neg xs)

-- ==
-- entry: rounding
-- input { [1.5, 2.5, -1.5, -0.5, 0.49] }
-- output { [1.0, 2.0, -2.0, -1.0, 0.0] [2.0, 3.0, -1.0, 0.0, 1.0] [1.0, 2.0, -1.0, 0.0, 0.0] [2.0, 2.0, -2.0, 0.0, 0.0] }

entry rounding [n] (xs: [n]f64) : ([n]f64, [n]f64, [n]f64, [n]f64) =
  (map f64.floor xs, map f64.ceil xs, map f64.trunc xs, map f64.round xs)
