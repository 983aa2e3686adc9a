-- group by folds arrays: a lambda's parameters have the sizes of what is folded, as reduce's have.
-- ==
-- entry: most
-- input { 2i64 [[1i64, 5i64], [2i64, 4i64], [1i64, -3i64], [1i64, 6i64]] }
-- output { [[1i64, 6i64], [2i64, 4i64]] }
-- input { 2i64 [[-1i64, 5i64]] } output { [[-1i64, 5i64]] }
-- input { 2i64 empty([0][2]i64) } output { empty([0][2]i64) }
entry most [k] (n: i64) (rows: [k][n]i64) : [][n]i64 =
  [ m | r <- rows, group by r[0] into m = (\p q -> if p[1] > q[1] then p else q) (replicate n 0) r ]

-- ==
-- entry: sums
-- input { [[1i64, 5i64], [2i64, 4i64], [1i64, -3i64]] } output { [[2i64, 2i64], [2i64, 4i64]] [4i64, 2i64] }
entry sums [k][n] (rows: [k][n]i64) : ([][n]i64, []i64) =
  unzip [ (s.0, s.1)
        | r <- rows
        , group by r[0] into s = (\(p, a) (q, b) -> (map2 (+) p q, a + b)) (replicate n 0, 0) (r, length r) ]
