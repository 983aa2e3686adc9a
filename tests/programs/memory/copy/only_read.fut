-- A copy that is only read need not be made.
-- ==
-- input { [1, 2] } output { 3 }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (xs: [n]i32) = let ys = copy xs in ys[0] + ys[1]
