-- The partial sums of a scan of flags (two blocks), the result, and the indices of what is kept.
-- The flags are cheap and not stored; lowering finds that the indices need not be stored either.
-- ==
-- input { [1, -2, 3] } output { [1, 3] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 4 Copy 0 }

def main [n] (xs: [n]i32) = filter (> 0) xs
