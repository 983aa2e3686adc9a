-- Two results are two blocks; one kernel writes both.
-- ==
-- input { [1, -2] } output { [2, -1] [2, -4] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }
-- structure seq-mem { Alloc 2 Copy 0 }

def main [n] (xs: [n]i32) = (map (+ 1) xs, map (* 2) xs)
