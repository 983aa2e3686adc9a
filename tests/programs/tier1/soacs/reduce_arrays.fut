-- Reductions whose operator works on whole rows.
-- ==
-- entry: column_sums
-- input { [[1, 2, 3], [4, 5, 6]] } output { [5, 7, 9] }
-- input { [[1, 2, 3]] } output { [1, 2, 3] }
-- input { empty([0][3]i32) } output { [0, 0, 0] }
-- input { empty([3][0]i32) } output { empty([0]i32) }

-- ==
-- entry: matrix_power
-- input { 1i64 } output { [[1i64, 1i64], [1i64, 0i64]] }
-- input { 10i64 } output { [[89i64, 55i64], [55i64, 34i64]] }
-- input { 0i64 } output { [[1i64, 0i64], [0i64, 1i64]] }

-- ==
-- entry: bounding_box
-- input { [[1f32, 5f32], [-2f32, 7f32]] } output { [-2f32, 5f32] [1f32, 7f32] }

entry column_sums [n] [m] (xss: [n][m]i32) : [m]i32 = reduce (map2 (+)) (replicate m 0) xss

def mul (a: [2][2]i64) (b: [2][2]i64) : [2][2]i64 =
  map (\r -> map (\c -> i64.sum (map2 (*) r c)) (transpose b)) a
entry matrix_power (n: i64) = reduce mul [[1, 0], [0, 1]] (replicate n [[1, 1], [1, 0]])

entry bounding_box [n] [d] (ps: [n][d]f32) : ([d]f32, [d]f32) =
  reduce (\(a, b) (c, e) -> (map2 f32.min a c, map2 f32.max b e))
         (replicate d f32.inf, replicate d (-f32.inf)) (zip ps ps)
