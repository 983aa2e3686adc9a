-- sized changes only the type; copy gives an array of its own.
-- ==
-- entry: known
-- input { [1, 2, 3] } output { [2, 4, 6] 3i64 }
-- input { empty([0]i32) } output { empty([0]i32) 0i64 }

-- ==
-- entry: pairwise
-- input { [1, 2, 3, 4] } output { [3, 7] }
-- input { empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: apart
-- input { [1, 2] } output { [1, 2] [5, 2] }

-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] } output { [[1, 2], [3, 4]] [[0, 0], [3, 4]] 7 }

entry known (xs: []i32) =
  let n = length xs
  let ys = sized n (xs ++ [])
  in (map2 (+) ys (sized n xs), n)
entry pairwise [n] (xs: [n]i32) =
  let half = n / 2
  in map2 (+) (sized half xs[::2]) (sized half xs[1::2])
entry apart [n] (xs: [n]i32) = let ys = copy xs in (xs, ys with [0] = 5)
entry rows [n] (xss: [n][2]i32) =
  let first = copy xss
  in (xss, first with [0] = [0, 0], copy 7)
