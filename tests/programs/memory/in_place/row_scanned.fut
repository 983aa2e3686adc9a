-- A row is the scan of another array: it is built where the matrix has it. The scan itself goes by
-- chunks, which are made one after the other in the row.
-- ==
-- input { [[1, 2], [3, 4]] [5, 6] } output { [[5, 11], [5, 11]] }
-- input { empty([0][2]i32) [1, 2] } output { empty([0][2]i32) }
-- structure seq-mem { Alloc 2 Copy 0 }

def main [m][n] (a: *[m][n]i32) (b: [n]i32) : *[m][n]i32 =
  loop a for i < m do a with [i] = scan (+) 0 b
