-- One element of a unique argument.
-- ==
-- input { [1, 2] } output { [7, 2] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (xs: *[n]i32) : *[n]i32 = xs with [0] = 7
