-- Zips: branches side by side, as many elements in each; within rows they must agree row by row.
-- ==
-- entry: two
-- input { [1i64, 2i64] [30i64, 40i64] } output { [31i64, 42i64] }
-- input { empty([0]i64) empty([0]i64) } output { empty([0]i64) }
-- input { [1i64, 2i64] [30i64] } error: 2 and 1 elements
entry two [n] [m] (xs: [n]i64) (ys: [m]i64) : []i64 = [ x + y | x <- xs | y <- ys ]

-- ==
-- entry: three
-- input { 4i64 } output { [0i64, 112i64, 224i64, 336i64] }
-- input { 0i64 } output { empty([0]i64) }
entry three (n: i64) : []i64 =
  [ a + b + c | a <- map (* 100) (iota n) | b <- [ 10 * i | i <- 0..<n ] | c <- 0..2..<2 * n ]

-- Branches with qualifiers of their own.
-- ==
-- entry: own
-- input { 5i64 } output { [0i64, 3i64, 4i64] [1i64, 2i64, 1i64] }
-- input { 6i64 } error: 1 and 3 elements
entry own (n: i64) : [](i64, i64) =
  [ (x, z)
  | (x <- [n - 2, n - 1, 0], order by x, x < 3 || n == 5 | y <- 0..<2, z <- [y + 1, 3 - 2 * y], z < 3),
    z < 100 ]

-- In each row.
-- ==
-- entry: in_rows
-- input { 4i64 } output { [11i64, 12i64, 122i64, 13i64, 123i64, 233i64] }
-- input { 0i64 } output { empty([0]i64) }
entry in_rows (n: i64) : []i64 =
  [ 100 * a + 10 * b + i | i <- 0..<n, (a <- 0..<i | b <- 1..<i + 1) ]

-- As many elements in all, but not in each row.
-- ==
-- entry: not_in_rows
-- input { 1i64 } output { [0i64] }
-- input { 3i64 } error: same number of elements
entry not_in_rows (n: i64) : []i64 =
  [ a + b | i <- 0..<n, (a <- 0...i | b <- 0..<n - i) ]

-- Sorting and grouping in a branch stay within a row; the row's variables are still there.
-- ==
-- entry: sorted
-- input { 4i64 } output { [0i64, 1i64, 0i64, 2i64, 1i64, 0i64] [0i64, 0i64, 1i64, 0i64, 1i64, 2i64] }
-- input { 1i64 } output { empty([0]i64) empty([0]i64) }
entry sorted (n: i64) : [](i64, i64) = [ (a, b) | i <- 0..<n, (a <- 0..<i, order by -a | b <- 0..<i) ]

-- ==
-- entry: grouped
-- input { 3i64 }
-- output { [0i64, 0i64, 1i64, 1i64, 2i64, 2i64] [0i64, 1i64, 0i64, 1i64, 0i64, 1i64]
--          [0i64, 0i64, 2i64, 4i64, 4i64, 8i64] }
-- input { 0i64 } output { empty([0]i64) empty([0]i64) empty([0]i64) }
entry grouped (n: i64) : [](i64, i64, i64) =
  [ (i, k, s) | i <- 0..<n, (a <- 0..<4, group by k = a % 2 into s = (+) 0 (a * i) | c <- 0..<2) ]

-- A zip in a zip.
-- ==
-- entry: inner
-- input { 2i64 } output { [0i64, 11i64, 100i64, 111i64] }
entry inner (n: i64) : []i64 =
  [ 100 * i + a + b + c | i <- 0..<n, (a <- 0..<2 | (b <- [0, 4] | c <- [0, 6])) ]

-- A comprehension over arrays of one length is an array of that length.
-- ==
-- entry: sized
-- input { [3i64, 2i64, 1i64] [30i64, 20i64, 10i64] } output { [33i64, 22i64, 11i64] }
entry sized [n] (xs: [n]i64) (ys: [n]i64) : [n]i64 = map2 (+) xs [ y | y <- ys | x <- xs, order by x ]
