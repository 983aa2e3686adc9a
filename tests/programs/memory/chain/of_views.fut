-- Transposed, reversed, sliced, flattened: the only block is the result's.
-- ==
-- input { [[1, 2], [3, 4]] } output { [2, 4, 1, 3] }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n][m] (a: [n][m]i32) = flatten (reverse (transpose a))
