-- A while loop changes a unique argument.
-- ==
-- input { [1, 2] } output { [8, 2] }
-- input { [20, 2] } output { [20, 2] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (xs: *[n]i32) : *[n]i32 = loop xs while xs[0] < 8 do xs with [0] = xs[0] * 2
