-- exscan is the exclusive prefix scan: element i combines all before i, and the first is the neutral element.
-- ==
-- entry: sums
-- input { [1, 2, 3, 4] } output { [0, 1, 3, 6] [1, 1, 2, 6] [-2147483648, 1, 2, 3] }
-- input { [5] } output { [0] [1] [-2147483648] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0]i32) }

-- ==
-- entry: offsets
-- input { [1i64, 1i64, 3i64] } output { [0i64, 1i64, 2i64, 0i64, 0i64, 0i64] }
-- input { empty([0]i64) } output { [0i64, 0i64, 0i64, 0i64, 0i64, 0i64] }

-- ==
-- entry: composed
-- input { [2, 3, -1] [1, 5, 0] } output { [1, 2, 6] [0, 1, 8] }

-- ==
-- entry: rows
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[0, 1, 3], [0, 4, 9]] [[0, 0, 0], [1, 2, 3]] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) empty([0][2]i32) }
-- input { empty([2][0]i32) } output { empty([2][0]i32) empty([2][0]i32) }

-- ==
-- entry: agrees_with_scan
-- input { [3, -1, 2147483647, 7] } output { true }

entry sums [n] (xs: [n]i32) = (exscan (+) 0 xs, exscan (*) 1 xs, exscan i32.max i32.lowest xs)
entry offsets [n] (lengths: [n]i64) = scatter (replicate 6 0) (exscan (+) 0 lengths) (indices lengths)
-- x |-> b x + a, one function after the other: associative, not commutative.
entry composed [n] (bs: [n]i32) (as: [n]i32) =
  unzip (exscan (\(b, a) (d, c) -> (b * d, a * d + c)) (1, 0) (zip bs as))
entry rows [n] [m] (xss: [n][m]i32) =
  (map (exscan (+) 0) xss, exscan (map2 (+)) (replicate m 0) xss)
entry agrees_with_scan [n] (xs: [n]i32) =
  and (map3 (\e s x -> e + x == s) (exscan (+) 0 xs) (scan (+) 0 xs) xs)
