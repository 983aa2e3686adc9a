-- transpose swaps the two outer dimensions and keeps inner ones.
-- ==
-- entry: matrix
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[1, 4], [2, 5], [3, 6]] true }
-- input { [[7]] } output { [[7]] true }
-- input { empty([0][2]i32) } output { empty([2][0]i32) true }
-- input { empty([2][0]i32) } output { empty([0][2]i32) true }

-- ==
-- entry: cube
-- input { [[[1, 2], [3, 4], [5, 6]]] } output { [[[1, 2]], [[3, 4]], [[5, 6]]] [[[1, 3, 5], [2, 4, 6]]] }

-- ==
-- entry: turn
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[4, 1], [5, 2], [6, 3]] [[3, 6], [2, 5], [1, 4]] }

entry matrix [n] [m] (xss: [n][m]i32) = 
  (transpose xss, and (map2 (\a b -> and (map2 (==) a b)) xss (transpose (transpose xss))))
entry cube [a] [b] [c] (xs: [a][b][c]i32) : ([b][a][c]i32, [a][c][b]i32) = (transpose xs, map transpose xs)
entry turn [n] [m] (xss: [n][m]i32) = (transpose (reverse xss), reverse (transpose xss))
