-- Bindings: the first one, regular ones (the same number of elements in every row) and irregular
-- ones, over arrays that depend on the row and arrays that do not.
-- ==
-- entry: first
-- input { [3i64, -1i64, 2i64] } output { [9i64, 1i64, 4i64] }
-- input { [5i64] } output { [25i64] }
-- input { empty([0]i64) } output { empty([0]i64) }
entry first (xs: []i64) : []i64 = [ x * x | x <- xs ]

-- ==
-- entry: regular
-- input { [3i64, -1i64] [10i64, 20i64, 30i64] }
-- output { [13i64, 23i64, 33i64, 9i64, 19i64, 29i64] }
-- input { [3i64] empty([0]i64) } output { empty([0]i64) }
-- input { empty([0]i64) [3i64] } output { empty([0]i64) }
entry regular (xs: []i64) (ys: []i64) : []i64 = [ x + y | x <- xs, y <- ys ]

-- The row's variable cancels out of the size.
-- ==
-- entry: windows
-- input { [5i64, -2i64] } output { [5i64, 6i64, 7i64, -2i64, -1i64, 0i64] }
entry windows (xs: []i64) : []i64 = [ y | x <- xs, y <- x...x + 2 ]

-- It cancels out, and what is left is no i64.
-- ==
-- entry: around
-- input { [5i64, -2i64] } output { [5i64, -2i64] }
-- input { empty([0]i64) } output { empty([0]i64) }
entry around (xs: []i64) : []i64 =
  [ y | x <- xs, y <- x..<x + 9223372036854775807 + 9223372036854775807 + 3 ]

-- ==
-- entry: far_around
-- input { [5i64, -2i64] } error: is invalid
entry far_around (xs: []i64) : []i64 = [ y | x <- xs, y <- x..<x + 9223372036854775807 + 1 ]

-- ==
-- entry: irregular
-- input { [2i64, 0i64, 3i64, 1i64] } output { [20i64, 21i64, 30i64, 31i64, 32i64, 10i64] }
-- input { [0i64, 0i64] } output { empty([0]i64) }
-- input { [1i64] } output { [10i64] }
-- input { empty([0]i64) } output { empty([0]i64) }
entry irregular (xs: []i64) : []i64 = [ 10 * x + y | x <- xs, y <- 0..<x ]

-- More elements than an i64 counts: 2^64 of them are not none.
-- ==
-- entry: irregular
-- input { [4611686018427387904i64, 4611686018427387904i64, 4611686018427387904i64, 4611686018427387904i64, 3i64] }
-- error: more elements than an i64 counts
-- input { [4611686018427387904i64, 4611686018427387904i64] } error: more elements than an i64 counts

-- The same where all rows have one size, and nobody asks for the elements.
-- ==
-- entry: counted
-- input { 0i64 9223372036854775807i64 } output { 0i64 }
-- input { 2i64 9223372036854775807i64 } error: more elements than an i64 counts
-- input { 3i64 4i64 } output { 12i64 }
entry counted (n: i64) (k: i64) : i64 = length [ y | x <- 0..<n, y <- x - k..<x ]

-- ==
-- entry: deep
-- input { 3i64 } output { [2000i64, 2010i64, 2011i64, 3000i64, 3010i64, 3011i64, 3020i64, 3021i64, 3022i64, 1000i64] }
entry deep (n: i64) : []i64 =
  [ 1000 * x + 10 * y + z | x <- [n - 1, n, n - 2], y <- 0..<x, z <- 0...y ]

-- Regular, irregular and regular again.
-- ==
-- entry: mixed
-- input { 3i64 [7i64, 8i64] } output { [17i64, 18i64, 17i64, 18i64, 27i64, 28i64, 28i64, 29i64, 27i64, 28i64, 28i64, 29i64] }
entry mixed (n: i64) (xs: []i64) : []i64 =
  [ 10 * i + j + x | i <- 0..<n, _ <- 0..<2, j <- 0..<i, x <- xs ]

-- Names may be bound again; the last one counts, and inside its own source still the one before.
-- ==
-- entry: shadowed
-- input { 3i64 } output { [0i64, 0i64, 1i64, 0i64, 1i64, 2i64] }
entry shadowed (n: i64) : []i64 = [ n | n <- 1...n, n <- 0..<n ]

-- What does not depend on the rows is not computed if there are none.
-- ==
-- entry: nothing_to_ask
-- input { [0i64] [5i64] 1i64 } output { [5i64] }
-- input { [0i64] [5i64] 0i64 } error: division by zero
-- input { [3i64] [5i64] 1i64 } error: out of bounds
-- input { empty([0]i64) [5i64] 0i64 } output { empty([0]i64) }
-- input { empty([0]i64) empty([0]i64) 1i64 } output { empty([0]i64) }
entry nothing_to_ask (places: []i64) (xs: []i64) (d: i64) : []i64 =
  [ x | p <- places, i <- 0..<(1 / d), x <- [xs[p + i]] ]

-- What a row checks it checks although it has no elements.
-- ==
-- entry: no_columns
-- input { empty([2][0]i64) [0i64, 1i64] } output { empty([0]i64) }
-- input { empty([2][0]i64) [0i64, 2i64] } error: out of bounds
-- input { empty([2][0]i64) empty([0]i64) } output { empty([0]i64) }
entry no_columns (m: [][]i64) (places: []i64) : []i64 = [ x | p <- places, x <- m[p] ]
