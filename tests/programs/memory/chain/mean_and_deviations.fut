-- Partial sums for the mean, and the deviations, which are the result.
-- ==
-- input { [1.0, 3.0] } output { [-1.0, 1.0] }
-- structure seq-mem { Alloc 2 Copy 0 }

def main [n] (xs: [n]f64) = let mean = f64.sum xs / f64.i64 n in map (\x -> x - mean) xs
