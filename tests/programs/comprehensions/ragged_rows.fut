-- Comprehensions store elements that are arrays of different lengths.
-- ==
-- entry: sums
-- input { [3i64, 1i64, 0i64, 4i64] } output { [9i64, 1i64, 0i64, 16i64] }
-- input { empty([0]i64) } output { empty([0]i64) }
entry sums (xs: []i64) : []i64 =
  let rows = [ replicate x x | x <- xs ] in map i64.sum rows

-- ==
-- entry: drawn_from
-- input { [3i64, 1i64, 0i64, 4i64] } output { [27i64, 48i64] }
entry drawn_from (xs: []i64) : []i64 =
  let rows = [ map (+ x) (iota x) | x <- xs ]
  let twice = [ map (* 2) row | row <- rows, length row > 1 ]
  in [ i64.sum row + length row | row <- twice ]

-- ==
-- entry: elements
-- input { [3i64, 1i64, 0i64, 5i64] } output { [2i64, 2i64, 3i64, 4i64] }
entry elements (xs: []i64) : []i64 =
  let rows = [ filter (> 1) (iota x) | x <- xs ] in [ y | row <- rows, y <- row ]

-- ==
-- entry: element
-- input { [3i64, 1i64, 0i64, 4i64] 3i64 } output { 3i64 }
-- input { [3i64, 1i64, 0i64, 4i64] 2i64 } error: out of bounds
entry element (xs: []i64) (k: i64) : i64 =
  let rows = [ iota x | x <- xs ] in rows[k, xs[k] - 1]

-- ==
-- entry: tuples
-- input { [3i64, 1i64, 0i64, 4i64] } output { [9i64, 1i64, 0i64, 16i64] }
entry tuples (xs: []i64) : []i64 =
  let rows = [ (x, iota x) | x <- xs ] in map (\(a, r) -> a * length r) rows

-- Where one length is needed, the rows must have it.
-- ==
-- entry: result
-- input { [2i64, 2i64] } output { [[2i64, 2i64], [2i64, 2i64]] }
-- input { [3i64, 1i64] } error: Irregular array
entry result (xs: []i64) : [][]i64 = [ replicate x x | x <- xs ]

-- ==
-- entry: transposed
-- input { [2i64, 2i64] } output { [[0i64, 0i64], [1i64, 1i64]] }
-- input { [3i64, 1i64] } error: Irregular array
entry transposed (xs: []i64) : [][]i64 = let rows = [ iota x | x <- xs ] in transpose rows
