-- `m.(e)` makes the names of a built-in module visible inside one expression.
-- ==
-- input { 2.0f32 } output { 1.4142135f32 7.0f32 }

def main (x: f32) : (f32, f32) = (f32.(sqrt x), f32.(x ** 2 + max x 3))

-- ==
-- entry: nested
-- input { 4.0 9 } output { 11.0 }

entry nested (x: f64) (n: i32) : f64 = let m = i32.(max n 3) in f64.(sqrt x + i32 m)

-- ==
-- entry: constants
-- input { } output { 3.141592653589793 2147483647 }

entry constants : (f64, i32) = (f64.(pi), i32.(highest))

-- ==
-- entry: over_lambda
-- input { [1.0, 4.0] } output { [3.0, 4.0] }
-- input { empty([0]f64) } output { empty([0]f64) }

entry over_lambda [n] (xs: [n]f64) : [n]f64 = f64.(map (\x -> sqrt x + 2) xs)

-- ==
-- entry: names_outside_stay
-- input { 3 } output { 3.0 8 }

entry names_outside_stay (sqrt: i32) : (f64, i32) = (f64.(sqrt (i32 9)), sqrt + 5)
