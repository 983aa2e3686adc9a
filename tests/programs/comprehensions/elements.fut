-- Patterns, elements of all types, and comprehensions in other constructs.
-- ==
-- entry: patterns
-- input { [1i64, 2i64] [[5i64, 6i64], [7i64, 8i64]] } output { [106i64, 109i64, 207i64] }
entry patterns [n] (xs: [n]i64) (m: [n][]i64) : []i64 =
  [ 100 * a + b + c
  | (a, _) <- [(1, true), (2, false)],
    {left = x, right = row} <- map2 (\x r -> {right = r, left = x}) xs m,
    (b: i64, c) <- [(row[0], x * a)], a * x != 4 ]

-- ==
-- entry: wild
-- input { 2i64 } output { [7i64, 7i64, 7i64, 7i64] }
-- input { 0i64 } output { empty([0]i64) }
entry wild (n: i64) : []i64 = [ 7 | _ <- 0..<n, (_, _) <- [(1, 2), (3, 4)] ]

-- ==
-- entry: sums
-- input { [1i64, 2i64, 3i64] } output { [-1i64, -1i64, -1i64, 3i64, 3i64, 4i64] }
entry sums (xs: []i64) : []i64 =
  let large x : #some i64 | #none = if x > 2 then #some x else #none
  in [ match o case #some v -> v case #none -> -1 | x <- xs, o <- [large x, large (x + 1)] ]

-- A bitwise or needs parentheses.
-- ==
-- entry: bits
-- input { [2i32, 4i32] } output { [3i32, 5i32] }
entry bits (xs: []i32) : []i32 = [ (x | 1) | x <- xs ]

-- Elements that are arrays.
-- ==
-- entry: arrays
-- input { [[1i64, 2i64], [3i64, 4i64]] } output { [[1i64, 2i64], [3i64, 4i64], [3i64, 4i64]] [[0i64, 0i64, 0i64], [0i64, 1i64, 2i64]] }
-- input { empty([0][2]i64) } output { empty([0][2]i64) empty([0][3]i64) }
entry arrays (m: [][]i64) : ([][]i64, [][]i64) =
  ([ row | row <- m, i <- 0..<2, row[0] > i ], [ [ x * y | y <- 0..<3 ] | x <- indices m ])

-- In a function that is mapped, one row at a time.
-- ==
-- entry: mapped
-- input { [0i64, 3i64, 6i64] } output { [0i64, 1i64, 35i64] [0i64, 2i64, 7i64] }
-- input { empty([0]i64) } output { empty([0]i64) empty([0]i64) }
entry mapped (xs: []i64) : ([]i64, []i64) =
  (map (\n -> i64.sum [ i * i | i <- 0..<n, i % 2 == 1 ]) xs,
   map (\n -> length [ (i, j) | i <- 0..<n, j <- i..<n, (i + j) % 3 == 0 ]) xs)

-- In a loop, and of any type.
def pairs 'a 'b (xs: []a) (ys: []b) : [](a, b) = [ (x, y) | x <- xs, y <- ys ]
def repeated 'a (count: a -> i64) (xs: []a) : []a = [ x | x <- xs, _ <- 0..<count x ]

-- ==
-- entry: looped
-- input { 3i64 } output { [1i64, 3i64, 2i64, 4i64, 1i64, 3i64, 2i64, 4i64] }
-- input { 0i64 } output { [1i64] }
entry looped (n: i64) : []i64 = loop xs = [1] for i < n do [ x + y | x <- xs, y <- [0, i] ]

-- ==
-- entry: polymorphic
-- input { [1i64, 2i64] } output { [1i64, 1i64, 2i64, 2i64] [1.5f32, 2.5f32, 1.5f32, 2.5f32] }
entry polymorphic (xs: []i64) : [](i64, f32) = pairs xs [1.5f32, 2.5]

-- ==
-- entry: any_rows
-- input { [[2i64, 0i64], [0i64, 5i64], [1i64, 1i64]] } output { [[2i64, 0i64], [2i64, 0i64], [1i64, 1i64]] }
entry any_rows (m: [][]i64) : [][]i64 = repeated (\row -> row[0]) m

-- The result is a new array, which may be changed.
-- ==
-- entry: fresh
-- input { [1i64, 2i64, 3i64] } output { [1i64, 2i64, 3i64] [100i64, 2i64, 3i64] }
entry fresh (xs: []i64) : ([]i64, []i64) = let ys = [ x | x <- xs ] in (copy xs, ys with [0] = 100)

-- Words that mean something only after a comma or a bar are names elsewhere.
-- ==
-- entry: names
-- input { [3i64, 1i64] } output { [6i64, 2i64] }
entry names (order: []i64) : []i64 = let group = order in [ by + into | by <- group | into <- order ]
