-- A thread changes a row step by step, in the row of the result: one copy into it, no scratch row.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[1, 3, 6], [4, 9, 15]] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n][m] (a: [n][m]i32) =
  map (\row -> loop r = copy row for i < m - 1 do r with [i + 1] = r[i] + r[i + 1]) a
