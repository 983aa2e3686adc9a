-- A border row above and below: each part is written where it ends.
-- ==
-- input { [[1, 2], [3, 4]] } output { [[0, 0], [2, 3], [4, 5], [9, 9]] }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n][m] (a: [n][m]i32) = [replicate m 0] ++ map (map (+ 1)) a ++ [replicate m 9]
