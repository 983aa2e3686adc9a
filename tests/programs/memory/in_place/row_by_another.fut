-- A row is replaced by what is computed from another row.
-- ==
-- input { [[1, 2], [3, 4]] } output { [[1, 2], [2, 4]] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (a: *[2][n]i32) : *[2][n]i32 = a with [1] = map (* 2) a[0]
