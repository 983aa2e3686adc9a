-- Slices in several dimensions, mixed with indices, and slices of slices.
-- ==
-- entry: blocks
-- input { [[1, 2, 3], [4, 5, 6], [7, 8, 9]] }
-- output { [[5, 6], [8, 9]] [[1, 2], [4, 5]] [2, 5, 8] [[3, 2, 1], [6, 5, 4], [9, 8, 7]] }

-- ==
-- entry: mixed
-- input { [[1, 2, 3], [4, 5, 6], [7, 8, 9]] 1i64 }
-- output { [4, 5] [[7, 8, 9], [4, 5, 6], [1, 2, 3]] [[1, 3], [7, 9]] 8 }
-- input { [[1, 2, 3], [4, 5, 6], [7, 8, 9]] 0i64 }
-- output { [1, 2] [[7, 8, 9], [4, 5, 6], [1, 2, 3]] [[1, 3], [7, 9]] 7 }

-- ==
-- entry: cube
-- input { 2i64 } output { [[2i64, 3i64], [6i64, 7i64]] [[0i64, 4i64], [2i64, 6i64]] }

-- ==
-- entry: empty_block
-- input { [[1, 2], [3, 4]] } output { empty([0][2]i32) empty([2][0]i32) }

entry blocks [n] (m: [n][n]i32) = (m[1:, 1:], m[0:2, :2], m[:, 1], m[:, ::-1])
entry mixed [n] (m: [n][n]i32) (i: i64) = (m[i, 0:2], m[::-1], m[::2, ::2], m[1:][1][i])
entry cube (n: i64) =
  let c = tabulate_3d n n n (\i j k -> (i * n + j) * n + k)
  in (c[:, 1, :], transpose c[:, :, 0])
entry empty_block (m: [][]i32) = (m[1:1], m[:, 2:])
