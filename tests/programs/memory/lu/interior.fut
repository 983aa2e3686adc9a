-- All rows below the first change in place; the first row and column are read.
-- ==
-- input { [[1, 2, 3], [2, 5, 7], [3, 7, 11]] } output { [[1, 2, 3], [2, 1, 1], [3, 1, 2]] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (a: *[n][n]i32) : *[n][n]i32 =
  let interior = tabulate_2d (n - 1) (n - 1) (\i j -> a[i + 1, j + 1] - a[i + 1, 0] * a[0, j + 1])
  in a with [1:, 1:] = interior
