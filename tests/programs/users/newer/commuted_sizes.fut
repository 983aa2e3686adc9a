-- `m + n` and `n + m` are one size, and `m * n` and `n * m`; Futhark 0.25 compares them as written.
-- ==
-- input { [1, 2] [3, 4, 5] } output { [3, 5, 7, 9, 6] 2i64 3i64 }
-- input { [1] empty([0]i32) } output { [2] 1i64 0i64 }

def added [m] [n] (xs: [m + n]i32) (ys: [n + m]i32) : ([n + m]i32, i64, i64) = (map2 (+) xs ys, m, n)

def main [m] [n] (xs: [m]i32) (ys: [n]i32) : ([m + n]i32, i64, i64) =
  let zs = xs ++ ys in added zs (rotate 1 zs)

-- ==
-- entry: planes
-- input { [[1, 2], [3, 4], [5, 6]] } output { [2, 5, 8, 6, 9, 12] }

def times [m] [n] (xs: [m * n]i32) (ys: [n * m]i32) : [m * n]i32 = map2 (+) xs ys
entry planes [m] [n] (xs: [m][n]i32) : []i32 = times (flatten xs) (flatten (transpose xs))
