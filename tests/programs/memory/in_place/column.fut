-- A column of a unique matrix of four columns.
-- ==
-- input { [[1, 2, 0, 0], [3, 4, 0, 0]] } output { [[2, 2, 0, 0], [4, 4, 0, 0]] }
-- input { empty([0][4]i32) } output { empty([0][4]i32) }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (a: *[n][4]i32) : *[n][4]i32 = a with [:, 0] = map (+ 1) a[:, 0]
