-- Sums of squares of columns of a product of matrices: one number for each column.
-- ==
-- input { [[1, 2], [3, 4]] } output { [10, 20] }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n][m] (a: [n][m]i32) = map (\c -> i32.sum (map (\x -> x * x) c)) (transpose a)
