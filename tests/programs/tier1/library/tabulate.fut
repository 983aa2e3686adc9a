-- tabulate, tabulate_2d and tabulate_3d call a function with indices.
-- ==
-- entry: one
-- input { 4i64 } output { [0i64, 1i64, 4i64, 9i64] }
-- input { 0i64 } output { empty([0]i64) }

-- ==
-- entry: two
-- input { 2i64 3i64 } output { [[0, 1, 2], [10, 11, 12]] }
-- input { 1i64 1i64 } output { [[0]] }
-- input { 2i64 0i64 } output { empty([2][0]i32) }
-- input { 0i64 2i64 } output { empty([0][2]i32) }

-- ==
-- entry: three
-- input { 2i64 1i64 3i64 } output { [[[0i64, 1i64, 2i64]], [[100i64, 101i64, 102i64]]] }

-- ==
-- entry: rows
-- input { 3i64 } output { [[0i64, 0i64, 0i64], [0i64, 1i64, 2i64], [0i64, 2i64, 4i64]] }

entry one (n: i64) = tabulate n (\i -> i * i)
entry two (n: i64) (m: i64) = tabulate_2d n m (\i j -> i32.i64 (10 * i + j))
entry three (n: i64) (m: i64) (k: i64) = tabulate_3d n m k (\i j l -> i * 100 + j * 10 + l)
entry rows (n: i64) = tabulate n (\i -> map (* i) (iota n))
