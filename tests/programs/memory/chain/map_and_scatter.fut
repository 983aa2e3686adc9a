-- The array that is scattered into is the result's. What is scattered has a block, for a scatter
-- takes its values from memory.
-- ==
-- input { [2i64, 0i64] [5, 6] } output { [12, 0, 10, 0] }
-- input { empty([0]i64) empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 2 Copy 0 }

def main [n] (is: [n]i64) (vs: [n]i32) = scatter (replicate (2 * n) 0) is (map (* 2) vs)
