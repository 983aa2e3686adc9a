-- Sources whose size is not known without making them: the rows are done one after the other.
-- ==
-- entry: filtered
-- input { [5i64, 0i64, 1i64, 3i64] } output { [50i64, 52i64, 54i64, 10i64, 30i64, 32i64] }
-- input { [0i64, 0i64] } output { empty([0]i64) }
-- input { empty([0]i64) } output { empty([0]i64) }
-- input { [2i64, -1i64] } error: is invalid
def evens (n: i64) : []i64 = filter (\i -> i % 2 == 0) (0..<n)
entry filtered (xs: []i64) : []i64 = [ 10 * x + y | x <- xs, y <- evens x ]

-- ==
-- entry: between
-- input { [5i64, 4i64] }
-- output { [2i64, 4i64, 4i64, 2i64] [0i64, 0i64, 2i64, 1i64] }
entry between (xs: []i64) : [](i64, i64) =
  [ (y, z) | x <- xs, y <- evens x, y > 0, z <- 0..<y, (x + z) % 2 == 1 ]

-- ==
-- entry: tuples
-- input { [5i64, 2i64] } output { [0i64, 2i64, 4i64, 0i64] [0i64, 4i64, 16i64, 0i64] }
entry tuples (xs: []i64) : [](i64, i64) = [ (a, b) | x <- xs, (a, b) <- map (\i -> (i, i * i)) (evens x) ]

-- Only how many there are.
-- ==
-- entry: wild
-- input { [5i64, 0i64, 2i64] } output { [5i64, 5i64, 5i64, 2i64] }
entry wild (xs: []i64) : []i64 = [ x | x <- xs, _ <- evens x ]

-- Elements that are arrays.
-- ==
-- entry: arrays
-- input { 4i64 } output { [[0i64, 1i64], [0i64, 2i64], [0i64, 3i64], [2i64, 3i64]] }
-- input { 0i64 } output { empty([0][2]i64) }
entry arrays (n: i64) : [][2]i64 =
  let even_pairs (k: i64) : [][2]i64 = filter (\p -> p[0] % 2 == 0) (tabulate k (\i -> [i, k]))
  in [ p | k <- 0..<n, p <- even_pairs k ]

-- A comprehension with a filter as a source.
-- ==
-- entry: inner
-- input { 6i64 } output { [2i64, 2i64, 4i64, 2i64, 4i64] [3i64, 4i64, 4i64, 5i64, 5i64] }
entry inner (n: i64) : [](i64, i64) =
  [ (y, x) | x <- 0..<n, y <- [ i | i <- 1..<i64.max 1 (x + 1), i % 2 == 0, i != x || x == 4 ], y < 5 ]

-- Elements that are arrays of different lengths.
-- ==
-- entry: known_late
-- input { [2i64, 2i64] } output { [2i64, 2i64, 2i64, 2i64] }
-- input { [0i64, 3i64, 0i64] } output { [3i64, 3i64, 3i64] }
-- input { [0i64] } output { empty([0]i64) }
-- input { [1i64, 2i64] } output { [1i64, 2i64, 2i64] }
-- input { [0i64, 3i64, 0i64, 1i64] } output { [3i64, 3i64, 3i64, 1i64] }
entry known_late (rs: []i64) : []i64 =
  [ length row | r <- rs, row <- filter (\row -> length row > 0) (tabulate r (\i -> replicate r i)) ]

-- A result has rows of one length, as its type says.
-- ==
-- entry: rectangle
-- input { [2i64, 2i64] } output { [[0i64, 0i64], [1i64, 1i64], [0i64, 0i64], [1i64, 1i64]] }
-- input { [1i64, 2i64] } error: Irregular array
entry rectangle (rs: []i64) : [][]i64 =
  [ row | r <- rs, row <- filter (\row -> length row > 0) (tabulate r (\i -> replicate r i)) ]

-- Rows of different lengths are reduced, filtered, and mapped.
-- ==
-- entry: sums
-- input { [3i64, 1i64, 0i64, 2i64] } output { [0i64, 3i64, 6i64, 0i64, 0i64, 2i64] [6i64, 2i64] }
entry sums (rs: []i64) : ([]i64, []i64) =
  let rows = [ row | r <- rs, row <- filter (\row -> length row > 0) (tabulate r (\i -> replicate r i)) ]
  in (map i64.sum rows, map i64.sum (filter (\row -> row[0] == 2 || (length row == 2 && row[0] == 1)) rows))
