-- Function types that mention sizes: a size bound by an argument appears in the result.
-- ==
-- input { 3i64 } output { [0i64, 1i64, 2i64] 3i64 }
-- input { 0i64 } output { empty([0]i64) 0i64 }

def make (n: i64) (f: (m: i64) -> [m]i64) : [n]i64 = f n

def main (n: i64) : ([n]i64, i64) = (make n iota, length (make n (\m -> replicate m 1)))

-- ==
-- entry: row_function
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[3, 2, 1], [6, 5, 4]] [[1, 3, 6], [4, 9, 15]] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) empty([0][2]i32) }

def on_rows 'a [n] [m] (f: [m]a -> [m]a) (xss: [n][m]a) : [n][m]a = map f xss

entry row_function [n] [m] (xss: [n][m]i32) : ([n][m]i32, [n][m]i32) =
  (on_rows reverse xss, on_rows (scan (+) 0) xss)

-- ==
-- entry: row_to_scalar
-- input { [[1.0, 3.0], [5.0, 7.0]] } output { [2.0, 6.0] [3.0, 5.0] }

def on_columns 'a 'b [n] [m] (f: [n]a -> b) (xss: [n][m]a) : [m]b = map f (transpose xss)
def mean [n] (xs: [n]f64) : f64 = f64.sum xs / f64.i64 n

entry row_to_scalar [n] [m] (xss: [n][m]f64) : ([n]f64, [m]f64) = (map mean xss, on_columns mean xss)
