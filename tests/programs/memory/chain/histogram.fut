-- The histogram, and those that threads make of their chunks.
-- ==
-- input { 3i64 [0i64, 2i64, 0i64] } output { [2, 0, 1] }
-- input { 2i64 empty([0]i64) } output { [0, 0] }
-- structure seq-mem { Alloc 2 Copy 0 }

def main [n] (k: i64) (is: [n]i64) = hist (+) 0 k is (replicate n 1i32)
