-- `open` on a built-in module brings its functions and constants into the rest of the file.
-- ==
-- input { 3.0 4.0 } output { 5.0 3.141592653589793 }

open f64

def main (x: f64) (y: f64) : (f64, f64) = (sqrt (x * x + y * y), pi)

-- ==
-- entry: arrays
-- input { [1.0, -2.0, 4.0] } output { 3.0 4.0 [1.0, 2.0, 4.0] }
-- input { empty([0]f64) } output { 0.0 -f64.inf empty([0]f64) }

entry arrays [n] (xs: [n]f64) : (f64, f64, [n]f64) = (sum xs, maximum xs, map abs xs)

-- ==
-- entry: conversions
-- input { 7 } output { 7.0 7i64 3.5 }

-- From here on `i32` is the conversion to f64, and the operators are those on f64 only.
entry conversions (k: i32) : (f64, i64, f64) = (i32 k, to_i64 (i32 k), i32 k / 2)
