-- Flat slices as library functions: any rectangle of strided elements of a vector, read and written.
-- ==
-- entry: one
-- input { [0, 1, 2, 3, 4, 5, 6, 7] 1i64 3i64 2i64 } output { [1, 3, 5] [0, -1, 2, -1, 4, -1, 6, 7] }
-- input { [0, 1, 2, 3, 4, 5, 6, 7] 7i64 4i64 -2i64 } output { [7, 5, 3, 1] [0, -1, 2, -1, 4, -1, 6, -1] }
-- input { [0, 1, 2, 3, 4, 5, 6, 7] 3i64 0i64 1i64 } output { empty([0]i32) [0, 1, 2, 3, 4, 5, 6, 7] }
-- input { [0, 1, 2, 3, 4, 5, 6, 7] 5i64 3i64 2i64 } error:

-- ==
-- entry: two
-- input { [0, 1, 2, 3, 4, 5, 6, 7] } output { [[6, 5], [4, 3], [2, 1]] [0, 0, 0, 0, 0, 0, 0, 7] }

-- ==
-- entry: three
-- input { [0, 1, 2, 3, 4, 5, 6, 7] }
-- output { [[[0, 4], [2, 6]], [[1, 5], [3, 7]]] [0, 20, 10, 30, 1, 21, 11, 31] }

-- ==
-- entry: four
-- input { [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] }
-- output { [[[[0, 1], [2, 3]], [[4, 5], [6, 7]]], [[[8, 9], [10, 11]], [[12, 13], [14, 15]]]]
--          [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15] }

entry one (xs: []i32) (offset: i64) (n: i64) (s: i64) =
  ( flat_index_1d xs offset n s
  , flat_update_1d (copy xs) offset s (replicate n (-1)) )
entry two (xs: []i32) =
  ( flat_index_2d xs 6 3 (-2) 2 (-1)
  , flat_update_2d (copy xs) 6 (-2) (-1) (replicate 3 (replicate 2 0)) )
entry three (xs: []i32) =
  ( flat_index_3d xs 0 2 1 2 2 2 4
  , flat_update_3d (copy xs) 0 4 2 1 [[[0, 20], [10, 30]], [[1, 21], [11, 31]]] )
entry four (xs: []i32) =
  ( flat_index_4d xs 0 2 8 2 4 2 2 2 1
  , flat_update_4d (copy xs) 0 1 2 4 8 (unflatten_4d (sized (2 * 2 * 2 * 2) xs) : [2][2][2][2]i32) )
