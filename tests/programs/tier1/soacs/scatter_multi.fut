-- scatter_2d and scatter_3d take index tuples; any coordinate outside drops the write.
-- ==
-- entry: two
-- input { [[0, 0], [0, 0]] [0i64, 1i64, 2i64, 0i64] [1i64, 0i64, 0i64, -1i64] [5, 6, 7, 8] }
-- output { [[0, 5], [6, 0]] }
-- input { [[1, 2], [3, 4]] empty([0]i64) empty([0]i64) empty([0]i32) } output { [[1, 2], [3, 4]] }

-- ==
-- entry: diagonal
-- input { 3i64 } output { [[0i64, -1i64, -1i64], [-1i64, 1i64, -1i64], [-1i64, -1i64, 2i64]] }
-- input { 0i64 } output { empty([0][0]i64) }

-- ==
-- entry: three
-- input { 2i64 } output { [[[0i64, 9i64], [9i64, 9i64]], [[9i64, 9i64], [9i64, 3i64]]] }
-- input { 1i64 } output { [[[0i64]]] }

entry two [n] [m] [k] (dest: *[n][m]i32) (is: [k]i64) (js: [k]i64) (vs: [k]i32) =
  scatter_2d dest (zip is js) vs
entry diagonal (n: i64) : *[n][n]i64 =
  scatter_2d (replicate n (replicate n (-1))) (map (\i -> (i, i)) (iota n)) (iota n)
entry three (n: i64) : *[n][n][n]i64 =
  scatter_3d (tabulate_3d n n n (\_ _ _ -> 9)) (map (\i -> (i, i, i)) (iota (n + 1))) (map (* 3) (iota (n + 1)))
