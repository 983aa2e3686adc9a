-- The unique argument is dead once the map has read it: the result takes its block.
-- ==
-- input { [1, -2, 3] } output { [2, -1, 4] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (xs: *[n]i32) : [n]i32 = map (+ 1) xs
