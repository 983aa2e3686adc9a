-- Elimination, a step at a time: the rest of the matrix is computed in parallel, in place. The
-- column of factors is read by all threads of a row; it is not changed.
-- ==
-- input { [[1, 2, 3], [2, 5, 7], [3, 7, 11]] } output { [[1, 2, 3], [2, 1, 1], [3, 1, 1]] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (a: *[n][n]i32) : *[n][n]i32 =
  loop a for k < n - 1 do
    let rest = n - (k + 1)
    let interior =
      tabulate_2d rest rest (\i j ->
        a[i + k + 1, j + k + 1] - a[i + k + 1, k] * a[k, j + k + 1])
    in a with [k + 1:, k + 1:] = interior
