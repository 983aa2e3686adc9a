-- Filters, after each kind of binding and before all of them, some that keep nothing or everything.
-- ==
-- entry: after_first
-- input { [3i64, -1i64, 2i64] } output { [3i64, 2i64] }
-- input { [-1i64] } output { empty([0]i64) }
-- input { empty([0]i64) } output { empty([0]i64) }
entry after_first (xs: []i64) : []i64 = [ x | x <- xs, x > 0 ]

-- ==
-- entry: between
-- input { [3i64, -1i64, 2i64] } output { [31i64, 33i64, 21i64, 23i64] }
-- input { [-5i64] } output { empty([0]i64) }
entry between (xs: []i64) : []i64 = [ 10 * x + y | x <- xs, x > 0, y <- 0..<4, y % 2 == 1 ]

-- Few elements pass: they are counted, and looked for again.
-- ==
-- entry: few
-- input { 12i64 } output { [1i64, 2i64, 5i64, 10i64] }
-- input { 1i64 } output { empty([0]i64) }
-- input { 0i64 } output { empty([0]i64) }
entry few (n: i64) : []i64 = [ x | x <- 0..<n, y <- 0..<x, y * y + 1 == x ]

-- A later filter is not asked about what an earlier one throws away.
-- ==
-- entry: guarded
-- input { [2i64, 0i64, 5i64, 4i64] } output { [2i64, 5i64] [5i64, 2i64, 2i64, 0i64, 2i64, 1i64, 0i64] }
entry guarded (xs: []i64) : ([]i64, []i64) =
  ([ x | x <- xs, x != 0, 10 % x == 0 ],
   [ 10 / x / y | x <- xs, y <- 0...x, y != 0, x % y == 0 ])

-- ==
-- entry: first_of_all
-- input { true } output { [7i64, 8i64] }
-- input { false } output { empty([0]i64) }
entry first_of_all (b: bool) : []i64 = [ x | b, x <- 7..<9 ]

-- Most elements pass: all are made, and filtered.
-- ==
-- entry: most
-- input { 5i64 } output { [1i64, 2i64, 2i64, 3i64, 3i64, 3i64, 4i64, 4i64, 4i64] [0i64, 0i64, 1i64, 0i64, 1i64, 2i64, 0i64, 1i64, 3i64] }
-- input { 0i64 } output { empty([0]i64) empty([0]i64) }
entry most (n: i64) : [](i64, i64) = [ (x, y) | x <- 0..<n, y <- 0..<x, x * y != 8 ]

-- A filter that holds a comprehension: the primes.
-- ==
-- entry: primes
-- input { 14i64 } output { [2i64, 3i64, 5i64, 7i64, 11i64, 13i64] }
entry primes (n: i64) : []i64 = [ p | p <- 2..<n, and [ p % k != 0 | k <- 2..<p, k * k <= p ] ]

-- The pieces of 64 rows are more than an i64 counts; those of one row are not.
-- ==
-- entry: many_pieces
-- input { 64i64 9223372036854775807i64 } error: more elements than an i64 counts
-- input { 2i64 4i64 } output { [3i64, 3i64] }
entry many_pieces (k: i64) (n: i64) : []i64 = [ x | r <- replicate k n, x <- 0..<r, x > 2 ]
