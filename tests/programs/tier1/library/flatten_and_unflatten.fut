-- flatten joins dimensions in row-major order and unflatten splits them, for two to four dimensions.
-- ==
-- entry: flat
-- input { [[1, 2, 3], [4, 5, 6]] } output { [1, 2, 3, 4, 5, 6] }
-- input { empty([0][3]i32) } output { empty([0]i32) }
-- input { empty([3][0]i32) } output { empty([0]i32) }

-- ==
-- entry: deep
-- input { 2i64 } output { [0i64, 1i64, 10i64, 11i64, 100i64, 101i64, 110i64, 111i64] 16i64 1111i64 }
-- input { 1i64 } output { [0i64] 1i64 0i64 }

-- ==
-- entry: back2
-- input { 2i64 3i64 [1, 2, 3, 4, 5, 6] } output { [[1, 2, 3], [4, 5, 6]] }
-- input { 3i64 2i64 [1, 2, 3, 4, 5, 6] } output { [[1, 2], [3, 4], [5, 6]] }
-- input { 0i64 2i64 empty([0]i32) } output { empty([0][2]i32) }

-- ==
-- entry: back34
-- input { [1, 2, 3, 4, 5, 6, 7, 8] }
-- output { [[[1, 2], [3, 4]], [[5, 6], [7, 8]]] [[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]] }

-- ==
-- entry: rows
-- input { [[[1, 2], [3, 4]], [[5, 6], [7, 8]]] } output { [[1, 2], [3, 4], [5, 6], [7, 8]] [[1, 2, 3, 4], [5, 6, 7, 8]] }

entry flat [n] [m] (xss: [n][m]i32) : []i32 = flatten xss
entry deep (n: i64) =
  let c = tabulate_3d n n n (\i j k -> i * 100 + j * 10 + k)
  let h = tabulate n (\l -> map (map (map (+ l * 1000))) c)
  in (flatten_3d c, length (flatten_4d h), last (flatten_4d h))
entry back2 (n: i64) (m: i64) (xs: []i32) : [n][m]i32 = unflatten (sized (n * m) xs)
entry back34 (xs: [8]i32) : ([2][2][2]i32, [1][2][2][2]i32) =
  (unflatten_3d (sized (2 * 2 * 2) xs), unflatten_4d (sized (1 * 2 * 2 * 2) xs))
entry rows [n] [m] [k] (xs: [n][m][k]i32) = (flatten xs, map flatten xs)
