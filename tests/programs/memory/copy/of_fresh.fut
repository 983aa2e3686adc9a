-- What has just been made need not be copied.
-- ==
-- input { [1, 2] } output { [3, 4] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n] (xs: [n]i32) = copy (map (+ 2) xs)
