-- Values that share a size through an abbreviation are zipped without a check.
-- ==
-- input { [1, 2, 3] [0.5, 1.5, 2.5] } output { [0.5, 3.0, 7.5] }
-- input { empty([0]i32) empty([0]f64) } output { empty([0]f64) }
-- input { [1, 2] [0.5] } error:

type columns 'a 'b [n] = ([n]a, [n]b)

def combine 'a 'b 'c [n] (f: a -> b -> c) ((xs, ys): columns a b [n]) : [n]c = map2 f xs ys

def main [n] (xs: [n]i32) (ys: [n]f64) : [n]f64 = combine (\x y -> f64.i32 x * y) (xs, ys)

-- ==
-- entry: unzipped
-- input { 3i64 } output { [0i64, 1i64, 2i64] [false, true, false] }
-- input { 0i64 } output { empty([0]i64) empty([0]bool) }

def columns_of 'a 'b [n] (rows: [n](a, b)) : columns a b [n] = unzip rows

entry unzipped (n: i64) : ([n]i64, [n]bool) =
  columns_of (map (\i -> (i, i % 2 == 1)) (iota n))
