-- Functions given fewer arguments than they take: own ones, library ones, and lambdas.
-- ==
-- entry: own
-- input { [1.0, 2.0] } output { [12.0, 14.0] [102.0, 202.0] }
-- input { empty([0]f64) } output { empty([0]f64) empty([0]f64) }

-- ==
-- entry: library
-- input { [[1, 2], [3, 4]] } output { [3, 7] [[1, 3], [3, 7]] [2, 4] [0i64, 1i64, 2i64] }

-- ==
-- entry: saturated_later
-- input { 3 4 5 } output { 17 60 }

def affine (a: f64) (b: f64) (x: f64) : f64 = a * x + b
def total = reduce (+) 0i32
def scan_rows = map (scan (+) 0i32)

entry own [n] (xs: [n]f64) =
  let by_two = affine 2
  in (map (by_two 10) xs, map (affine 100 2) xs)

entry library [n] [m] (xss: [n][m]i32) =
  (map total xss, map (scan (+) 0) xss, map last xss, tabulate 3 (\i -> i))

entry saturated_later (a: i32) (b: i32) (c: i32) =
  let f = \x y z -> x * y + z
  let g = f a b
  let h = \x -> \y -> x * y * c
  in (g c, (h a) b)
