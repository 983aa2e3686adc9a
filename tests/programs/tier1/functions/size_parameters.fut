-- `[n]` in a signature binds the length as an i64, ties lengths together, and can be used as a value.
-- ==
-- entry: mean
-- input { [1.0, 2.0, 6.0] } output { 3.0 }
-- input { [4.0] } output { 4.0 }

-- ==
-- entry: shape
-- input { [[1, 2, 3], [4, 5, 6]] } output { 2i64 3i64 6i64 }
-- input { empty([0][4]i32) } output { 0i64 4i64 0i64 }
-- input { empty([5][0]i32) } output { 5i64 0i64 0i64 }

-- ==
-- entry: dot
-- input { [1, 2, 3] [4, 5, 6] } output { 32 }
-- input { empty([0]i32) empty([0]i32) } output { 0 }

-- ==
-- entry: indices_of
-- input { [true, false, true] } output { [0i64, 1i64, 2i64] [3i64, 3i64, 3i64] }

-- ==
-- entry: square
-- input { 2i64 } output { [[0i64, 1i64], [1i64, 2i64]] }
-- input { 0i64 } output { empty([0][0]i64) }

entry mean [n] (xs: [n]f64) : f64 = reduce (+) 0 xs / f64.i64 n
entry shape [n] [m] (_: [n][m]i32) : (i64, i64, i64) = (n, m, n * m)
entry dot [n] (xs: [n]i32) (ys: [n]i32) : i32 = reduce (+) 0 (map2 (*) xs ys)
def positions_of [n] (_: [n]bool) : [n]i64 = iota n
entry indices_of [n] (bs: [n]bool) : ([n]i64, [n]i64) = (positions_of bs, replicate n n)
def grid (n: i64) : [n][n]i64 = tabulate_2d n n (+)
entry square (n: i64) : [n][n]i64 = grid n
