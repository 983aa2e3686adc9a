-- IEEE special values come out of arithmetic, are recognised, and travel through min and max.
-- ==
-- entry: make
-- input { 0f32 } output { f32.nan f32.inf -f32.inf f32.nan }

-- ==
-- entry: classify
-- input { [0f64, 1f64, f64.nan, f64.inf, -f64.inf] }
-- output { [false, false, true, false, false] [false, false, false, true, true] }
-- input { empty([0]f64) } output { empty([0]bool) empty([0]bool) }

-- ==
-- entry: arith
-- input { f64.inf } output { f64.inf f64.nan f64.nan 0f64 -f64.inf }
-- input { f64.nan } output { f64.nan f64.nan f64.nan f64.nan f64.nan }
-- input { 2f64 } output { 3f64 0f64 0f64 0.5f64 -2f64 }

-- ==
-- entry: extremes
-- input { [3f32, -f32.inf, f32.inf] } output { -f32.inf f32.inf }
-- input { empty([0]f32) } output { f32.inf -f32.inf }

-- ==
-- entry: overflow
-- input { 3e38f32 } output { f32.inf -f32.inf }

entry make (z: f32) = (z / z, 1 / z, -1 / z, f32.sqrt (-1 - z))
entry classify [n] (xs: [n]f64) = (map f64.isnan xs, map f64.isinf xs)
entry arith (x: f64) = (x + 1, x - x, x * 0, 1 / x, -x)
entry extremes [n] (xs: [n]f32) = (f32.minimum xs, f32.maximum xs)
entry overflow (x: f32) = (x * 10, -x - x)
