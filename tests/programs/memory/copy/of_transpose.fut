-- The result is row-major, the argument was not: one copy moves the elements.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[1, 4], [2, 5], [3, 6]] }
-- input { empty([0][2]i32) } output { empty([2][0]i32) }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n][m] (a: [n][m]i32) = transpose a
