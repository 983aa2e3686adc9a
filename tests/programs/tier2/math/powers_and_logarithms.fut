-- Roots, powers, exponentials and logarithms, also near zero and at infinities.
-- ==
-- input { [8.0, -27.0, 0.0, 2.0] } output { [2.0, -3.0, 0.0, 1.25992105] }

def main [n] (xs: [n]f64) : [n]f64 = map f64.cbrt xs

-- ==
-- entry: logarithms
-- input { [1.0, 10.0, 0.5] }
-- output { [0.0, 2.302585093, -0.693147181] [0.0, 3.321928095, -1.0] [0.0, 1.0, -0.301029996] }
-- input { [0.0] } output { [-f64.inf] [-f64.inf] [-f64.inf] }
-- input { [-1.0] } output { [f64.nan] [f64.nan] [f64.nan] }

entry logarithms [n] (xs: [n]f64) : ([n]f64, [n]f64, [n]f64) =
  (map f64.log xs, map f64.log2 xs, map f64.log10 xs)

-- ==
-- entry: log1p_near_zero
-- input { 1e-18 } output { 1.0 0.0 }
-- input { 1.0 } output { 693147180559945300.0 693147180559945300.0 }

entry log1p_near_zero (x: f64) : (f64, f64) = (f64.log1p x * 1e18, f64.log (1 + x) * 1e18)

-- ==
-- entry: exponentials
-- input { [0.0, 1.0, -1.0, -f64.inf, f64.inf] }
-- output { [1.0, 2.718281828, 0.367879441, 0.0, f64.inf] }

entry exponentials [n] (xs: [n]f64) : [n]f64 = map f64.exp xs

-- ==
-- entry: roots
-- input { [4.0, 0.25, 2.0] } output { [2.0, 0.5, 1.414213562] [0.5, 2.0, 0.707106781] [0.25, 4.0, 0.5] }
-- input { [0.0] } output { [0.0] [f64.inf] [f64.inf] }

entry roots [n] (xs: [n]f64) : ([n]f64, [n]f64, [n]f64) =
  (map f64.sqrt xs, map f64.rsqrt xs, map f64.recip xs)

-- ==
-- entry: power_operator
-- input { 2.0 [0.0, 0.5, -1.0, 10.0] } output { [1.0, 1.414213562, 0.5, 1024.0] }
-- input { -2.0 [3.0, 2.0, 0.5] } output { [-8.0, 4.0, f64.nan] }
-- input { 0.0 [0.0, 1.0, -1.0] } output { [1.0, 0.0, f64.inf] }

entry power_operator [n] (x: f64) (ys: [n]f64) : [n]f64 = map (x **) ys
