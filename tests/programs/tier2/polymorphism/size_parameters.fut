-- A size parameter is an i64 variable in the body, also for sizes of inner and of empty dimensions.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] } output { 2i64 3i64 6i64 }
-- input { empty([0][3]i32) } output { 0i64 3i64 0i64 }
-- input { empty([2][0]i32) } output { 2i64 0i64 0i64 }

def size 'a [n] [m] (_: [n][m]a) : (i64, i64, i64) = (n, m, n * m)

def main (xss: [][]i32) : (i64, i64, i64) = size xss

-- ==
-- entry: mean
-- input { [1.0, 2.0, 6.0] } output { 3.0 }
-- input { empty([0]f64) } output { f64.nan }

entry mean [n] (xs: [n]f64) : f64 = f64.sum xs / f64.i64 n

-- ==
-- entry: only_the_size
-- input { [1, 2, 3] } output { [0i64, 1i64, 2i64] }
-- input { empty([0]i32) } output { empty([0]i64) }

entry only_the_size [n] (_: [n]i32) : [n]i64 = iota n
