-- A map's result is the only block: the argument is in memory already.
-- ==
-- input { [1, -2, 3] } output { [2, -1, 4] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n] (xs: [n]i32) = map (+ 1) xs
