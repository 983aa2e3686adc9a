-- order by: ascending and stable; NaN comes last, and keys may be tuples.
-- ==
-- entry: ascending
-- input { [3i64, -1i64, 2i64, -1i64, 0i64] } output { [-1i64, -1i64, 0i64, 2i64, 3i64] [1i64, 3i64, 4i64, 2i64, 0i64] }
-- input { [1i64] } output { [1i64] [0i64] }
-- input { [2i64, 1i64] } output { [1i64, 2i64] [1i64, 0i64] }
-- input { empty([0]i64) } output { empty([0]i64) empty([0]i64) }
-- input { [-9223372036854775808i64, 9223372036854775807i64, 0i64] }
-- output { [-9223372036854775808i64, 0i64, 9223372036854775807i64] [0i64, 2i64, 1i64] }
entry ascending (xs: []i64) : [](i64, i64) = [ (x, i) | (x <- xs | i <- indices xs), order by x ]

-- ==
-- entry: floats
-- input { [1.5, f64.nan, -f64.inf, 0.0, f64.inf, -0.0, f64.nan, -2.0] }
-- output { [-f64.inf, -2.0, 0.0, -0.0, 1.5, f64.inf, f64.nan, f64.nan] [2i64, 7i64, 3i64, 5i64, 0i64, 4i64, 1i64, 6i64] }
entry floats (xs: []f64) : [](f64, i64) = [ (x, i) | (x <- xs | i <- indices xs), order by x ]

-- ==
-- entry: tuples
-- input { [2i32, 1i32, 2i32, 1i32] [1u8, 255u8, 9u8, 0u8] }
-- output { [1i32, 1i32, 2i32, 2i32] [255u8, 0u8, 9u8, 1u8] }
entry tuples (xs: []i32) (ys: []u8) : [](i32, u8) = [ (x, y) | (x <- xs | y <- ys), order by (x, -i16.u8 y) ]

-- ==
-- entry: bools
-- input { [2i64, 5i64, 1i64, 4i64] } output { [2i64, 1i64, 5i64, 4i64] }
entry bools (xs: []i64) : []i64 = [ x | x <- xs, order by x > 3 ]

-- Sorted twice: the second key decides, the first one among equals; and filters go on afterwards.
-- ==
-- entry: twice
-- input { [13i64, 21i64, 11i64, 23i64, 12i64, 30i64] } output { [11i64, 21i64, 12i64, 13i64, 23i64] }
entry twice (xs: []i64) : []i64 = [ x | x <- xs, order by x, order by x % 10, x % 10 != 0 ]

-- More rows than a power of two, all equal but one.
-- ==
-- entry: many
-- input { 33i64 } output { true }
-- input { 64i64 } output { true }
-- input { 100i64 } output { true }
entry many (n: i64) : bool =
  let key i = (i * 7919) % 101
  let xs = [ (key i, i) | i <- 0..<n, order by key i ]
  in length xs == n
     && and [ xs[k].0 < xs[k + 1].0 || (xs[k].0 == xs[k + 1].0 && xs[k].1 < xs[k + 1].1) | k <- 0..<n - 1 ]

-- Rows of a matrix move as a whole, and bindings may follow.
-- ==
-- entry: rows
-- input { [[3i64, 4i64], [1i64, 2i64], [2i64, 0i64]] } output { [1i64, 2i64, 2i64, 0i64, 3i64, 4i64] }
entry rows (m: [][]i64) : []i64 = [ x | row <- m, order by row[0], x <- row ]

-- In order already.
-- ==
-- entry: sorted
-- input { 3i64 } output { [0i64, 1i64, 0i64, 2i64, 1i64, 0i64] }
entry sorted (n: i64) : []i64 = [ x - y | x <- 0..<n, y <- 0...x, order by x ]
