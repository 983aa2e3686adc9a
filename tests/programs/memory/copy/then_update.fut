-- One copy, for the update must not be seen in the argument.
-- ==
-- input { [1, 2] } output { [5, 2] }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n] (xs: [n]i32) = copy xs with [0] = 5
