-- Hyperbolic functions and their inverses, and the length of a hypotenuse without overflow.
-- ==
-- input { [0.0, 1.0, -1.0] }
-- output { [0.0, 1.175201194, -1.175201194] [1.0, 1.543080635, 1.543080635] [0.0, 0.761594156, -0.761594156] }
-- input { [1000.0] } output { [f64.inf] [f64.inf] [1.0] }

def main [n] (xs: [n]f64) : ([n]f64, [n]f64, [n]f64) = (map f64.sinh xs, map f64.cosh xs, map f64.tanh xs)

-- ==
-- entry: inverses
-- input { [0.0, 0.5] [1.0, 2.0] } output { [0.0, 0.481211825] [0.0, 1.316957897] [0.0, 0.549306144] }
-- input { [1.0] [0.5] } output { [0.881373587] [f64.nan] [f64.inf] }

entry inverses [n] (xs: [n]f64) (ys: [n]f64) : ([n]f64, [n]f64, [n]f64) =
  (map f64.asinh xs, map f64.acosh ys, map f64.atanh xs)

-- ==
-- entry: hypotenuse
-- input { 3.0 4.0 } output { 5.0 true }
-- input { 0.0 -2.0 } output { 2.0 true }
-- input { f64.inf 1.0 } output { f64.inf false }

entry hypotenuse (x: f64) (y: f64) : (f64, bool) = (f64.hypot x y, !f64.isinf (f64.hypot (x * 1e200) (y * 1e200)))
