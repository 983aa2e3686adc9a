-- Array literals: nesting, computed elements, one element, tuples, and empty rows.
-- ==
-- entry: vandermonde
-- input { 2 } output { [[1, 1, 1], [1, 2, 4], [1, 3, 9]] }

-- ==
-- entry: mixed
-- input { 1 } output { [1] [[1, 2], [3, 4]] [true, false] }

-- ==
-- entry: of_tuples
-- input { } output { [1, 2] [1.5, 2.5] }

-- ==
-- entry: of_arrays
-- input { [1, 2] [3, 4] } output { [[1, 2], [3, 4], [4, 6]] }
-- input { empty([0]i32) empty([0]i32) } output { empty([3][0]i32) }

-- ==
-- entry: deep
-- input { } output { [[[1u8], [2u8]], [[3u8], [4u8]]] empty([0]i32) }

entry vandermonde (x: i32) = [[1, 1, 1], [1, x, x * x], [1, x + 1, (x + 1) ** 2]]
entry mixed (x: i32) = ([x], [[x, x + 1], [3, 4]], [x == 1, x != 1])
entry of_tuples = unzip [(1i32, 1.5f64), (2, 2.5)]
entry of_arrays [n] (xs: [n]i32) (ys: [n]i32) = [xs, ys, map2 (+) xs ys]
entry deep : ([2][2][1]u8, []i32) = ([[[1], [2]], [[3], [4]]], [])
