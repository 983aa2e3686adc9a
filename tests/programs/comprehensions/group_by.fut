-- group by: one row for each distinct key, ascending; folds with associative operators, from left to
-- right in the order of the rows.
-- ==
-- entry: sums
-- input { [3i64, -1i64, 3i64, 0i64, -1i64, 3i64] [1i64, 2i64, 3i64, 4i64, 5i64, 6i64] }
-- output { [-1i64, 0i64, 3i64] [7i64, 4i64, 10i64] [2i64, 1i64, 3i64] [5i64, 4i64, 6i64] }
-- input { [3i64] [1i64] } output { [3i64] [1i64] [1i64] [1i64] }
-- input { [3i64, 3i64] [1i64, -4i64] } output { [3i64] [-3i64] [2i64] [1i64] }
-- input { empty([0]i64) empty([0]i64) }
-- output { empty([0]i64) empty([0]i64) empty([0]i64) empty([0]i64) }
entry sums (ks: []i64) (xs: []i64) : [](i64, i64, i64, i64) =
  [ (key, sum, count, most)
  | (k <- ks | x <- xs), group by k into sum = (+) 0 x into count = (+) 0 1 into most = i64.max i64.lowest x ]

-- Associative, but not commutative: the first that is not zero, and affine maps.
-- ==
-- entry: firsts
-- input { [1i64, 0i64, 1i64, 0i64, 1i64] [0i64, 7i64, 5i64, 8i64, 6i64] } output { [0i64, 1i64] [7i64, 5i64] }
entry firsts (ks: []i64) (xs: []i64) : [](i64, i64) =
  [ (k, first) | (key <- ks | x <- xs), group by k = key into first = (\a b -> if a != 0 then a else b) 0 x ]

def compose (a: i64, b: i64) (c: i64, d: i64) : (i64, i64) = (a * c, b * c + d)

-- ==
-- entry: affine
-- input { [1i64, 0i64, 1i64, 0i64, 1i64] [2i64, 7i64, 3i64, 8i64, 4i64] }
-- output { [0i64, 1i64] [56i64, 24i64] [9i64, 17i64] }
entry affine (ks: []i64) (xs: []i64) : [](i64, i64, i64) =
  [ (k, m.0, m.1) | (key <- ks | x <- xs), group by k = key into m = compose (1, 0) (x, 1) ]

-- Keys: all NaN are one, and so are both zeros; tuples; truth values.
-- ==
-- entry: floats
-- input { [f64.nan, 1.0, -0.0, f64.nan, 0.0] } output { [-0.0, 1.0, f64.nan] [2i64, 1i64, 2i64] }
entry floats (ks: []f64) : [](f64, i64) = [ (key, n) | k <- ks, group by k into n = (+) 0 1 ]

-- ==
-- entry: tuples
-- input { [5i64, 4i64, 7i64, 10i64, 2i64] }
-- output { [false, false, true, true] [0i64, 1i64, 0i64, 1i64] [14i64, 2i64, 7i64, 5i64] }
entry tuples (xs: []i64) : [](bool, i64, i64) =
  [ (key.0, key.1, s) | x <- xs, group by (x % 2 == 1, (x + 2) % 3) into s = (+) 0 x ]

-- ==
-- entry: only_keys
-- input { [5i64, 4i64, 7i64, 10i64, 2i64] } output { [1i64, 2i64] }
entry only_keys (xs: []i64) : []i64 = [ key | x <- xs, group by x % 3 ]

-- Groups are rows: filters, bindings, and groups of them may follow.
-- ==
-- entry: further
-- input { [5i64, 4i64, 7i64, 10i64, 2i64, 4i64] } output { [1i64, 2i64] [25i64, 7i64] [1i64, 1i64] }
entry further (xs: []i64) : [](i64, i64, i64) =
  [ (k, total, n)
  | x <- xs, group by x into s = (+) 0 x, k <- [key % 3], group by k = k into total = (+) 0 s into n = (*) 1 1,
    k > 0 ]

-- A fold of arrays.
-- ==
-- entry: arrays
-- input { [[1i64, 2i64], [2i64, 3i64], [3i64, 5i64]] } output { [0i64, 1i64] [[2i64, 3i64], [4i64, 7i64]] }
-- input { [[1i64, 2i64]] } output { [1i64] [[1i64, 2i64]] }
entry arrays [n] [m] (rows: [n][m]i64) : ([]i64, [][]i64) =
  unzip [ (k, s) | row <- rows, group by k = row[0] % 2 into s = (map2 (+)) (replicate m 0) row ]

-- The rows of a nest, grouped by its outer variable: regular reductions, no sorting.
-- ==
-- entry: nest
-- input { 3i64 3i64 } output { [0i64, 1i64, 2i64] [0i64, 3i64, 6i64] [0i64, 1i64, 2i64] }
-- input { 3i64 1i64 } output { [0i64, 1i64, 2i64] [0i64, 0i64, 0i64] [0i64, 0i64, 0i64] }
-- input { 3i64 0i64 } output { empty([0]i64) empty([0]i64) empty([0]i64) }
-- input { 0i64 3i64 } output { empty([0]i64) empty([0]i64) empty([0]i64) }
entry nest (n: i64) (m: i64) : [](i64, i64, i64) =
  [ (row, sum, first)
  | i <- 0..<n, j <- 0..<m,
    group by row = i into sum = (+) 0 (i * j) into first = (\a b -> if a != 0 then a else b) 0 (i * j) ]

-- Irregular, but in order already.
-- ==
-- entry: in_order
-- input { 4i64 } output { [1i64, 2i64, 3i64] [0i64, 1i64, 3i64] }
-- input { 1i64 } output { empty([0]i64) empty([0]i64) }
entry in_order (n: i64) : [](i64, i64) =
  [ (row, s) | i <- 0..<n, j <- 0..<i, group by row = i into s = (+) 0 j ]

-- How many Pythagorean triples there are for each longest side.
-- ==
-- entry: triples
-- input { 26i64 }
-- output { [5i64, 10i64, 13i64, 15i64, 17i64, 20i64, 25i64] [1i64, 1i64, 1i64, 1i64, 1i64, 1i64, 2i64] }
-- input { 1i64 } output { empty([0]i64) empty([0]i64) }
entry triples (n: i64) : [](i64, i64) =
  [ (side, count)
  | x <- 1..<n, y <- x..<n, z <- y..<x + y, z < n, x * x + y * y == z * z,
    group by side = z into count = (+) 0 1 ]
