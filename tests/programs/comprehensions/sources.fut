-- What can be drawn from without being made: ranges, iota and its kin, map, literals, parts of
-- arrays; each with a size that depends on the row.
-- ==
-- entry: up
-- input { [1i32, 3i32] } output { [1i32, 2i32, 3i32, 3i32] }
-- input { [4i32] } output { empty([0]i32) }
-- input { [1i32, 5i32] } error: Range 5..<4 is invalid.
entry up (xs: []i32) : []i32 = [ y | x <- xs, y <- x..<4 ]

-- ==
-- entry: to
-- input { [1i32, -1i32] } output { [-1i32, 0i32, 1i32, -1i32] }
-- input { [-3i32] } error: Range -1...-3 is invalid.
entry to (xs: []i32) : []i32 = [ y | x <- xs, y <- -1...x ]

-- ==
-- entry: above
-- input { [1i32, 3i32] } output { [4i32, 3i32, 2i32, 4i32] }
-- input { [5i32] } error: Range 4..>5 is invalid.
entry above (xs: []i32) : []i32 = [ y | x <- xs, y <- 4..>x ]

-- ==
-- entry: steps
-- input { [1i32, 4i32] } output { [1i32, 3i32, 5i32, 7i32, 4i32, 6i32] }
-- input { [9i32] } error: Range 9..11..<8 is invalid.
entry steps (xs: []i32) : []i32 = [ y | x <- xs, y <- x..x + 2..<8 ]

-- ==
-- entry: down
-- input { [6i64, 3i64] } output { [6i64, 4i64, 2i64, 0i64, 3i64, 1i64] }
entry down (xs: []i64) : []i64 = [ y | x <- xs, y <- x..x - 2...0 ]

-- Ranges of a small type: the step and the places wrap around in it.
-- ==
-- entry: small
-- input { [127i8, 120i8] } output { [-128i8, -28i8, 72i8, -128i8, -28i8, 72i8] }
entry small (xs: []i8) : []i8 = [ y | x <- xs, y <- -128i8..(-28)..<x ]

-- ==
-- entry: iotas
-- input { [2i64, 0i64, 1i64] } output { [0i64, 1i64, 0i64, 9i64, 9i64, 9i64, 2i64, 3i64, 1i64] }
-- input { [-1i64] } error: is invalid
entry iotas (xs: []i64) : []i64 =
  [ y | x <- xs, y <- iota x ] ++ [ y | x <- xs, y <- replicate x 9 ] ++ [ y | x <- xs, y <- tabulate x (+ x) ]

-- ==
-- entry: counted
-- input { [[1i64, 2i64], [3i64, 4i64]] } output { [0i64, 1i64, 0i64, 1i64, 0i64] }
entry counted (m: [][]i64) : []i64 =
  [ i | row <- m, i <- indices row ] ++ [ i | row <- m, i <- indices (row[2 - row[0] % 3:]) ]

-- ==
-- entry: maps
-- input { [2i64, 0i64, 3i64] }
-- output { [0i64, 2i64, 0i64, 3i64, 6i64, 100i64, 101i64, 100i64, 101i64, 102i64] }
entry maps (xs: []i64) : []i64 =
  [ y | x <- xs, y <- map (* x) (iota x) ] ++ [ y | x <- xs, y <- (0..<x) |> map (+ 100) ]

-- ==
-- entry: pairs
-- input { [2i64, 1i64] } output { [0i64, 4i64, 0i64] }
entry pairs (xs: []i64) : []i64 =
  [ a + b | x <- xs, (a, b) <- [ (i, i + i * x) | i <- 0..<x ] ]

-- ==
-- entry: literals
-- input { [1i64, 5i64] } output { [1i64, 2i64, 3i64, 5i64, 10i64, 15i64] }
entry literals (xs: []i64) : []i64 = [ y | x <- xs, y <- [x, 2 * x, 3 * x] ]

-- ==
-- entry: slices
-- input { [4i64, 5i64, 6i64, 7i64] [1i64, 3i64] }
-- output { [5i64, 6i64, 7i64, 7i64, 4i64, 4i64, 5i64, 6i64, 5i64, 4i64, 7i64, 6i64, 5i64, 4i64] }
-- input { [4i64, 5i64, 6i64, 7i64] [5i64] } error: out of bounds
entry slices (xs: []i64) (places: []i64) : []i64 =
  [ x | p <- places, x <- xs[p:] ] ++ [ x | p <- places, x <- take p xs ] ++ [ x | p <- places, x <- xs[p::-1] ]

-- ==
-- entry: matrix
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] [1i64, 0i64] }
-- output { [4i64, 5i64, 6i64, 1i64, 2i64, 3i64, 2i64, 5i64, 1i64, 4i64, 6i64, 2i64, 3i64] }
-- input { [[1i64, 2i64], [4i64, 5i64]] [2i64] } error: out of bounds
entry matrix (m: [][]i64) (places: []i64) : []i64 =
  [ x | p <- places, x <- m[p] ] ++ [ x | p <- places, x <- m[:, p] ]
  ++ [ x | p <- places, x <- m[p, 1 + p:] ]

-- Rows of a matrix as variables.
-- ==
-- entry: rows
-- input { [[1i64, 2i64, 3i64], [4i64, 0i64, 6i64]] } output { [2i64, 3i64, 6i64, 3i64, 2i64, 1i64, 6i64, 0i64, 4i64] }
entry rows (m: [][]i64) : []i64 =
  [ x | row <- m, x <- drop 1 row, x > 0 ] ++ [ x | (row, _) <- zip m (iota 2), x <- reverse row ]
