-- Two arguments lie elsewhere: both are copied, to one block.
-- ==
-- input { [1, 2] [3] } output { [1, 2, 3] }
-- input { empty([0]i32) [3] } output { [3] }
-- structure seq-mem { Alloc 1 Copy 2 }

def main [n][m] (xs: [n]i32) (ys: [m]i32) = xs ++ ys
