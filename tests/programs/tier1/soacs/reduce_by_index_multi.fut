-- reduce_by_index_2d and _3d take index tuples.
-- ==
-- entry: joint_counts
-- input { [0i64, 1i64, 0i64, 5i64] [2i64, 0i64, 2i64, 0i64] } output { [[0, 0, 2], [1, 0, 0]] }
-- input { empty([0]i64) empty([0]i64) } output { [[0, 0, 0], [0, 0, 0]] }

-- ==
-- entry: heights
-- input { [[1f32, 1f32]] [0i64, 0i64, 0i64] [0i64, 1i64, 0i64] [3f32, 0f32, 2f32] } output { [[3f32, 1f32]] }

-- ==
-- entry: voxels
-- input { [[0i64, 0i64, 1i64], [1i64, 1i64, 0i64], [0i64, 0i64, 1i64], [1i64, 2i64, 0i64]] }
-- output { [[[0, 2], [0, 0]], [[0, 0], [1, 0]]] }

entry joint_counts [n] (xs: [n]i64) (ys: [n]i64) : *[2][3]i32 =
  reduce_by_index_2d (tabulate_2d 2 3 (\_ _ -> 0)) (+) 0 (zip xs ys) (replicate n 1)
entry heights [k] [m] [n] (dest: *[k][m]f32) (is: [n]i64) (js: [n]i64) (hs: [n]f32) =
  reduce_by_index_2d dest f32.max f32.lowest (zip is js) hs
entry voxels [n] (ps: [n][3]i64) =
  let is = map (\p -> (p[0], p[1], p[2])) ps
  in reduce_by_index_3d (tabulate_3d 2 2 2 (\_ _ _ -> 0i32)) (+) 0 is (map (const 1) ps)
