-- Every element of the unique argument is replaced by one computed from itself: no block at all.
-- ==
-- input { [1, -2, 3] } output { [2, -1, 4] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (xs: *[n]i32) = xs with [:] = map (+ 1) xs
