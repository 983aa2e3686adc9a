-- Flags, a scan of them (three blocks), the indices of what is kept, the result. A person would not
-- store the flags, which are cheap.
-- ==
-- input { [1, -2, 3] } output { [1, 3] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 6 Copy 0 }

def main [n] (xs: [n]i32) = filter (> 0) xs
