-- The same with a number of columns that may be 0: that there is column 0 is checked when it is read,
-- which short-circuiting does not use. A person would.
-- ==
-- input { [[1, 2], [3, 4]] } output { [[2, 2], [4, 4]] }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n][m] (a: *[n][m]i32) : *[n][m]i32 = a with [:, 0] = map (+ 1) a[:, 0]
