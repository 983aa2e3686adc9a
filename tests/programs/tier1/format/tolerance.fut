-- Floats are compared within a tolerance over the whole array; integers and bools exactly.
-- ==
-- entry: thirds
-- input { [1.0, 10.0, 100.0] } output { [0.3333, 3.333, 33.333] }
-- input { [1f64, f64.nan, f64.inf] } output { [0.334, f64.nan, f64.inf] }
-- input { [1000.0, 0.0] } output { [333.0, 0.1] }

-- ==
-- entry: exact
-- input { 7 } output { 2 true }

entry thirds [n] (xs: [n]f64) = map (/ 3) xs
entry exact (x: i32) = (x / 3, x > 6)
