-- Nested loops that change a unique matrix.
-- ==
-- input { [[1, 2], [3, 4]] } output { [[1, 3], [4, 6]] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n][m] (a: *[n][m]i32) : *[n][m]i32 =
  loop a for i < n do
    loop a for j < m do a with [i, j] = a[i, j] + i32.i64 (i + j)
