-- A product of matrices: no transposed copy, no products in memory.
-- ==
-- input { [[1, 2], [3, 4]] [[5, 6], [7, 8]] } output { [[19, 22], [43, 50]] }
-- input { empty([0][2]i32) [[1], [2]] } output { empty([0][1]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n][m][k] (a: [n][m]i32) (b: [m][k]i32) =
  map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a
