-- A flat slice reads a row-major array through an offset and one (count, stride) pair per dimension.
-- ==
-- input { 8i64 } output { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] }
-- input { 6i64 } error: out of bounds

def main (n: i64) : [2][3]i64 = intrinsics.flat_index_2d (iota n) 1 2 3 3 1 :> [2][3]i64

-- ==
-- entry: diagonal_blocks
-- input { 3i64 } output { [[0i64, 1i64], [4i64, 5i64], [8i64, 9i64]] }

entry diagonal_blocks (n: i64) : [n][2]i64 =
  intrinsics.flat_index_2d (iota (n * 4)) 0 n 4 2 1 :> [n][2]i64

-- ==
-- entry: overlapping_windows
-- input { [1, 2, 3, 4] } output { [[1, 2], [2, 3], [3, 4]] }
-- input { [1, 2] } output { [[1, 2]] }

entry overlapping_windows [n] (xs: [n]i32) : [][2]i32 =
  intrinsics.flat_index_2d xs 0 (n - 1) 1 2 1 :> [n - 1][2]i32

-- ==
-- entry: antidiagonals
-- input { 3i64 } output { [[2i64, 4i64, 6i64]] }

entry antidiagonals (n: i64) : [1][n]i64 =
  intrinsics.flat_index_2d (iota (n * n)) (n - 1) 1 1 n (n - 1) :> [1][n]i64

-- ==
-- entry: three
-- input { } output { [[[0i64, 1i64], [4i64, 5i64]], [[8i64, 9i64], [12i64, 13i64]]] }

entry three : [2][2][2]i64 = intrinsics.flat_index_3d (iota 16) 0 2 8 2 4 2 1 :> [2][2][2]i64

-- ==
-- entry: four
-- input { } output { [[[[0i64, 1i64]], [[4i64, 5i64]]]] }

entry four : [1][2][1][2]i64 =
  intrinsics.flat_index_4d (iota 16) 0 1 8 2 4 1 2 2 1 :> [1][2][1][2]i64
