-- flatten_3d, unflatten_3d and their four-dimensional kin, on a small stack of images.
-- ==
-- entry: brightest
-- input { [[[1u8, 9u8], [3u8, 4u8]], [[7u8, 2u8], [0u8, 5u8]]] } output { 9u8 [9u8, 7u8] }
-- input { empty([0][2][2]u8) } output { 0u8 empty([0]u8) }
-- input { empty([2][0][3]u8) } output { 0u8 [0u8, 0u8] }

-- ==
-- entry: planes
-- input { 2i64 [0u8, 1u8, 2u8, 3u8, 4u8, 5u8, 6u8, 7u8, 8u8, 9u8, 10u8, 11u8] }
-- output { [[[0u8, 1u8], [2u8, 3u8], [4u8, 5u8]], [[6u8, 7u8], [8u8, 9u8], [10u8, 11u8]]] }
-- input { 0i64 empty([0]u8) } output { empty([0][3][2]u8) }

-- ==
-- entry: tiles
-- input { [[0, 1, 2, 3], [4, 5, 6, 7]] } output { [[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]] [0, 1, 4, 5, 2, 3, 6, 7] }

-- ==
-- entry: voxels
-- input { 2i64 } output { [[[1i64, 0i64], [0i64, 0i64]], [[0i64, 0i64], [0i64, 2i64]]] [0, 1, 0, 0, 0, 0, 1, 0] }

entry brightest [k] [h] [w] (images: [k][h][w]u8) =
  (u8.maximum (flatten_3d images), map (\image -> u8.maximum (flatten image)) images)
entry planes (k: i64) (pixels: []u8) : [k][3][2]u8 = unflatten_3d (sized (k * 3 * 2) pixels)
entry tiles (image: [2][4]i32) =
  let halves : [2][2][2]i32 = map (\row -> unflatten (sized (2 * 2) row)) image
  let tiled : [1][2][2][2]i32 = unflatten_4d (sized (1 * 2 * 2 * 2) (flatten_3d (transpose halves)))
  in (tiled, flatten_4d tiled)
entry voxels (n: i64) =
  let empty = tabulate_3d n n n (\_ _ _ -> 0i64)
  let filled = scatter_3d empty [(0, 0, 0), (1, 1, 1), (2, 0, 0), (0, -1, 0)] [1, 2, 3, 4]
  let counts = reduce_by_index_3d (tabulate_3d n n n (\_ _ _ -> 0i32)) (+) 0 [(0, 0, 1), (1, 1, 0), (n, 0, 0)] [1, 1, 1]
  in (filled, flatten_3d counts)
