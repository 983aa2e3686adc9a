-- A transpose only swaps strides: the result is the only block.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[2, 8], [4, 10], [6, 12]] }
-- input { empty([0][2]i32) } output { empty([2][0]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n][m] (a: [n][m]i32) = map (map (* 2)) (transpose a)
