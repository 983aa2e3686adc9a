-- Each row is summed as it is read; long rows by 64 partial sums each, which the second block is for.
-- ==
-- input { [[1, 2], [3, 4]] } output { [3, 7] }
-- input { empty([0][2]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 2 Copy 0 }

def main [n][m] (a: [n][m]i32) = map i32.sum a
