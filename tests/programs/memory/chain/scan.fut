-- A scan has a block of sums of chunks, one for where each chunk starts, and the result.
-- ==
-- input { [1, 2, 3] } output { [1, 3, 6] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 3 Copy 0 }

def main [n] (xs: [n]i32) = scan (+) 0 xs
