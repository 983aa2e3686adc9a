-- Flags, a scan of them (three blocks), the result; the indices of what is kept take the scan's place.
-- A person would not store the flags, which are cheap.
-- ==
-- input { [1, -2, 3] } output { [1, 3] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 5 Copy 0 }

def main [n] (xs: [n]i32) = filter (> 0) xs
