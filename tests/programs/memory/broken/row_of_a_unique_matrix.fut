-- Each thread changes a copy of row 0; the row itself is read by all. One block for the copies,
-- which is the result's.
-- ==
-- input { [[1, 2], [3, 4]] } output { [[11, 2], [13, 2]] }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n][m] (a: *[n][m]i32) =
  map (\i -> copy a[0] with [0] = a[i, 0] + 10) (iota n)
