-- Of a matrix only the row that is returned is copied.
-- ==
-- input { [[1, 2], [3, 4]] } output { [3, 4] }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n][m] (a: [n][m]i32) = copy a[1]
