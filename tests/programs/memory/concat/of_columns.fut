-- Columns beside one another: parts of rows, that threads write there.
-- ==
-- input { [[1, 2], [3, 4]] } output { [[2, 3, 2, 4], [4, 5, 6, 8]] }
-- input { empty([0][1]i32) } output { empty([0][2]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n][m] (a: [n][m]i32) =
  transpose (transpose (map (map (+ 1)) a) ++ transpose (map (map (* 2)) a))
