-- The same for columns, without a transposed matrix.
-- ==
-- input { [[1, 2], [3, 4]] } output { [4, 6] }
-- input { empty([0][2]i32) } output { [0, 0] }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n][m] (a: [n][m]i32) = map i32.sum (transpose a)
