-- Each thread replaces its own row of a unique matrix.
-- ==
-- input { [[1, 2], [3, 4]] } output { [[2, 3], [4, 5]] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n][m] (a: *[n][m]i32) : *[n][m]i32 = a with [:] = map (map (+ 1)) a
