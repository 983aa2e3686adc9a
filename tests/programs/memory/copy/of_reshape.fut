-- A unique matrix, flattened, is the same block.
-- ==
-- input { [[1, 2], [3, 4]] } output { [1, 2, 3, 4] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n][m] (a: *[n][m]i32) : *[n * m]i32 = flatten a
